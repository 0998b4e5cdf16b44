"""How kernels are compiled: the one place that spells numba's options.

Kernels are free functions over numpy records with explicit signatures, so each has exactly one specialisation.
What Python calls (`entry`) and what is compiled once for all its callers (`outlined`) has machine code, loaded from
the cache or compiled when its module is imported, or within `together` at its end. Any other kernel (`inner`) is no
more than a part of those that call it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeAlias, TypeVar

import llvmlite.binding
import numba
import numpy as np
from numba import from_dtype, njit
from numba.core import serialize, sigutils
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typeinfer import register_dispatcher
from numba.core.typing.templates import make_concrete_template

from games.kernel.cache import CACHE_FOLDER, KernelFile, cache_faults
from games.kernel.helper import Helper, spare_cores

__all__ = [
    "CACHE_FOLDER",
    "Record",
    "cache_faults",
    "entry",
    "float64",
    "generic",
    "inner",
    "int64",
    "new_record",
    "outlined",
    "record",
    "record_type",
    "together",
    "void",
]

Function = TypeVar("Function", bound=Callable[..., Any])
Record: TypeAlias = Any
"""A numpy record inside a kernel; attribute access, one pointer."""

int64: Any = numba.int64
float64: Any = numba.float64
void: Any = numba.void

on_compile: Callable[[str], None] | None = None
"""Called with the name of a kernel whose machine code has to be compiled (the cache has none)."""

# Kernels' loops are short: vectorised they run no faster in any game (bench, side by side), and Xiangqi compiles in
# 13.4 s instead of 15.0.
numba.config.LOOP_VECTORIZE = 0

_OPTIONS: dict[str, Any] = dict(nogil=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
_NO_WRAPPER = dict(no_cpython_wrapper=True)

KERNELS_A_HELPER = 4
"""A helper takes a second to start."""


class _Kernel(CPUDispatcher):  # type: ignore[misc]  # numba has no types
    """A kernel in its two roles: what its callers' code has of it, and machine code of its own.

    Callers contain its IR, optimised and compiled as a part of each, or if it is outlined just its symbol, which the
    process resolves when a caller's code is loaded: addresses are never cached. `load` gives it code of its own.
    """

    def __init__(
        self, function: Callable[..., Any], signature: Any, options: dict[str, Any], is_outlined: bool = False
    ) -> None:
        super().__init__(function, {}, _OPTIONS | options | dict(nopython=True))
        self._compiler._customize_flags = _lower_only
        self._declared = signature
        self._is_outlined = is_outlined
        self._is_known = False
        code = function.__code__
        self.symbol = f"siqi.{function.__module__}.{function.__qualname__}.{code.co_firstlineno}"
        self._file: KernelFile | None = None
        if CACHE_FOLDER is not None and os.path.isfile(code.co_filename):  # nothing typed in or piped in
            self._file = KernelFile(CACHE_FOLDER, function, signature, self.targetctx.codegen().magic_tuple())

    @functools.cached_property
    def _lowered(self) -> Any:
        """The kernel's IR, neither linked nor optimised as a whole."""
        with global_compiler_lock, self._compiling_counter, register_dispatcher(self):
            return self._compiler.compile(*sigutils.normalize_signature(self._declared))

    @functools.cached_property
    def _libraries(self) -> list[Any]:
        """The IR of the kernel and of all that it calls, numba's memory management left out."""
        library = self._lowered.library
        library._finalized = True
        library._get_module_for_linking()  # a copy, made before the kernel's own code grows
        called = (other for other in library._linking_libraries if other is not rtsys.library)
        return list(dict.fromkeys((library, *called)))

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call by another kernel. Lowered at the first of them: a game whose code is cached needs no IR."""
        if not self._is_known:
            if self._is_outlined:
                result, parameters = self._declared.return_type, self._declared.args
                descriptor, libraries = ExternalFunctionDescriptor(self.symbol, result, parameters), []
            else:
                descriptor, libraries = self._lowered.fndesc, self._libraries
            self.targetctx.insert_user_function(self.py_func, descriptor, libraries)
            self._is_known = True
        pysig, args = self._compiler.fold_argument_types(args, kws)
        template = make_concrete_template(self.__name__, self.__name__, [self._declared])
        return template, pysig, args, {}

    def get_overload(self, signature: Any) -> Any:
        """Return what a caller's lowering finds the kernel by."""
        return self.py_func

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Called where Python calls the kernel before its code is loaded."""
        if self.targetoptions.get("no_cpython_wrapper"):
            raise TypeError(f"only kernels call {self.__name__}")
        _load_waiting()
        self.load()
        return self(*args, **kws)

    def read(self) -> bytes | None:
        """Return the code as the cache has it; None if it has none that is sound."""
        return self._file.read() if self._file is not None else None

    def build(self) -> bytes:
        """Compile the code and keep it. The outlined kernels that it calls need not be compiled yet."""
        _report(self)
        with global_compiler_lock:
            library, *called = self._libraries
            for other in called:
                library._final_module.link_in(other._get_module_for_linking(), preserve=True)
            library._optimize_final_module()
            library._finalize_dynamic_globals()
            assert not library._dynamic_globals, f"{self.__name__} contains addresses of this process"
            library._compiled_object = library.codegen._tm.emit_object(library._final_module)
            data: bytes = serialize.dumps(self._lowered._reduce())
        if self._file is not None:
            self._file.write(data)
        return data

    def load(self, data: bytes | None = None) -> None:
        """Make the code callable: the code given, else what the cache has, else it is compiled."""
        if self.overloads:
            return
        self.targetctx.refresh()
        compiled = None
        with contextlib.suppress(
            Exception
        ):  # cached by a build of numba that the folder's name does not tell from this
            if data := data or self.read():
                compiled = CompileResult._rebuild(self.targetctx, *pickle.loads(data))
        if compiled is None:
            compiled = CompileResult._rebuild(self.targetctx, *pickle.loads(self.build()))
        if self._is_outlined:
            address = compiled.library.get_pointer_to_function(compiled.fndesc.mangled_name)
            llvmlite.binding.add_symbol(self.symbol, address)
        self.add_overload(compiled)
        self.disable_compile()


def _lower_only(flags: Any) -> Any:
    flags.no_compile = True
    return flags


_REPORTING = threading.Lock()


def _report(kernel: _Kernel) -> None:
    with _REPORTING:
        if on_compile is not None:
            on_compile(kernel.__name__)


_LOADING = threading.RLock()
_waiting: list[_Kernel] = []  # for their code, outlined ones before their callers
_contexts: list[str] = []  # of `together` that have not ended
rare: list[_Kernel] = []
"""Entries whose code is loaded when Python first calls them."""


@contextlib.contextmanager
def together(module: str) -> Iterator[None]:
    """Within the context kernels are declared; at its end their code is loaded.

    `module` is what is imported within. If the cache lacks much, other processes import it too and help to compile.
    """
    with _LOADING:
        _contexts.append(module)
        was_enabled = gc.isenabled()
        gc.disable()  # numba makes a million objects, of which few are garbage: 1.3 of 22 s went into rounds
        try:
            yield
            _load_waiting(module)
        finally:
            _contexts.pop()
            if was_enabled:
                gc.enable()


def _load_waiting(module: str = "") -> None:
    with _LOADING:
        codes = {kernel: kernel.read() for kernel in _waiting}
        codes |= _build([kernel for kernel, code in codes.items() if code is None], module)
        for kernel, code in codes.items():
            kernel.load(code)
        _waiting.clear()


def _build(kernels: list[_Kernel], module: str) -> dict[_Kernel, bytes]:
    """Compile kernels, with helpers if there are many. What a helper compiles comes through the cache."""
    codes: dict[_Kernel, bytes] = {}
    left = list(kernels)

    def take() -> _Kernel | None:
        with contextlib.suppress(IndexError):
            return left.pop()  # the last are the biggest
        return None

    def delegate(helper: Helper) -> None:
        while kernel := take():
            code = kernel.read() if helper.build(kernel.symbol) else None
            if code is None:
                left.append(kernel)
                return
            _report(kernel)
            codes[kernel] = code

    with contextlib.ExitStack() as stack:
        threads = []
        with contextlib.suppress(OSError):
            for _ in range(min(spare_cores(), len(left) // KERNELS_A_HELPER) if module and not cache_faults else 0):
                helper = stack.enter_context(Helper(module))
                threads.append(threading.Thread(target=delegate, args=(helper,), daemon=True))
                threads[-1].start()
        while kernel := take():
            codes[kernel] = kernel.build()
        for thread in threads:
            thread.join()
    return codes


def help_with(module: str) -> NoReturn:
    """Import a module as the first process does, then compile the kernels that it names, until it ends."""
    with together(module):
        importlib.import_module(module)
        kernels = {kernel.symbol: kernel for kernel in _waiting}
        for line in sys.stdin:
            kernels[line.rstrip("\n")].build()
            print(line, end="", flush=True)
        os._exit(0)


def entry(signature: Any, is_rare: bool = False) -> Callable[[Function], Function]:
    """A kernel that Python calls; if it is rare, nothing is loaded or compiled before the first call."""

    def decorate(function: Function) -> Any:
        kernel = _Kernel(function, signature, {})
        if is_rare:
            rare.append(kernel)
            return kernel
        return _want(kernel)

    return decorate


def outlined(signature: Any) -> Callable[[Function], Function]:
    """A big kernel that several kernels call: it is compiled once, and no caller contains it."""

    def decorate(function: Function) -> Any:
        return _want(_Kernel(function, signature, _NO_WRAPPER, is_outlined=True))

    return decorate


def inner(signature: Any, forceinline: bool = False) -> Callable[[Function], Function]:
    """A kernel that only kernels call and contain, with no code of its own; LLVM chooses whether to inline it."""

    def decorate(function: Function) -> Any:
        return _Kernel(function, signature, _NO_WRAPPER | dict(forceinline=forceinline))

    return decorate


def _want(kernel: _Kernel) -> _Kernel:
    """Have a kernel's code loaded, now or at the end of `together`."""
    _waiting.append(kernel)
    if not _contexts:
        _load_waiting()
    return kernel


def generic(function: Function) -> Function:
    """A small kernel without a signature, compiled into each kernel that calls it: for records of any type."""
    compiled: Function = njit(**_OPTIONS | _NO_WRAPPER | dict(forceinline=True))(function)
    return compiled


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a kernel record; each field `(name, type[, shape])`."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def record_type(dtype: np.dtype[Any]) -> Any:
    """The numba type of a record, for signatures."""
    return from_dtype(dtype)


def new_record(dtype: np.dtype[Any]) -> Record:
    """A zeroed record that kernels can change in place."""
    return np.zeros(1, dtype)[0]
