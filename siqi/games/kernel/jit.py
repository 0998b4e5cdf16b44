"""The compilation of kernels: the one place that spells numba's options.

Kernels are free functions over numpy records with explicit signatures, so each has exactly one specialisation.

- `entry`: Python calls it. It has machine code, which contains all kernels that it calls.
- `inner`: only kernels call it. It has no machine code, and is compiled as a part of each entry that needs it.
- `outlined`: only kernels call it, and it is compiled once. For big kernels that several entries would contain.

Machine code comes from the cache, or is compiled: when the kernel is declared, or at the end of `together`.
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
from numba.extending import register_jitable

from siqi.games.kernel.cache import CACHE_FOLDER, CACHE_FOLDERS, KernelFile, cache_faults, explicit_fault
from siqi.games.kernel.helper import Helper, spare_cores

__all__ = [
    "CACHE_FOLDER",
    "Record",
    "ThreadWork",
    "accessor",
    "cache_faults",
    "code_address",
    "entry",
    "explicit_fault",
    "float64",
    "generic",
    "inner",
    "int64",
    "new_record",
    "outlined",
    "pair",
    "record",
    "record_type",
    "together",
    "uint64",
    "void",
]

Function = TypeVar("Function", bound=Callable[..., Any])
Record: TypeAlias = Any
"""A numpy record: attribute access; a kernel gets it as one pointer."""

int64: Any = numba.int64
uint64: Any = numba.uint64
"""The type of an index: numba then omits the test for a negative one, which LLVM cannot remove from loops."""

float64: Any = numba.float64
void: Any = numba.void
pair: Any = numba.types.UniTuple(int64, 2)
"""The type of two results of a kernel."""

on_compile: Callable[[str], None] | None = None
"""Called with the name of a kernel whose machine code has to be compiled (the cache has none)."""

# Kernels' loops are short: vectorised they run no faster in any game (bench, side by side), and Xiangqi compiles in
# 13.4 s instead of 15.0.
numba.config.LOOP_VECTORIZE = 0

_OPTIONS: dict[str, Any] = dict(nogil=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
_NO_WRAPPER = dict(no_cpython_wrapper=True)

KERNELS_PER_HELPER = 4
"""A helper takes a second to start."""


class _Kernel(CPUDispatcher):  # type: ignore[misc]  # numba has no types
    """A kernel as its callers compile it, and as machine code of its own.

    A caller contains the kernel's IR. Of an outlined kernel it contains the symbol alone, which is resolved when the
    caller's code is loaded: no address is ever cached.
    """

    def __init__(
        self, function: Callable[..., Any], signature: Any, options: dict[str, Any], is_outlined: bool = False
    ) -> None:
        super().__init__(function, {}, _OPTIONS | options | dict(nopython=True))
        self._compiler._customize_flags = _lower_only
        self._declared = signature
        self._is_outlined = is_outlined
        self._is_known = False
        self.symbol = f"siqi.{function.__module__}.{function.__qualname__}.{function.__code__.co_firstlineno}"

    @functools.cached_property
    def _file(self) -> KernelFile | None:
        if not CACHE_FOLDERS or not os.path.isfile(self.py_func.__code__.co_filename):  # typed in or piped in
            return None
        return KernelFile(CACHE_FOLDERS, self.py_func, self._declared, self.targetctx.codegen().magic_tuple())

    @functools.cached_property
    def _lowered(self) -> Any:
        """The kernel's IR, not yet linked with what it calls."""
        with global_compiler_lock, self._compiling_counter, register_dispatcher(self):
            return self._compiler.compile(*sigutils.normalize_signature(self._declared))

    @functools.cached_property
    def _libraries(self) -> list[Any]:
        """The IR of the kernel and of all that it calls, without numba's memory management."""
        library = self._lowered.library
        library._finalized = True
        library._get_module_for_linking()  # a copy, made before the kernel's own code grows
        called = (other for other in library._linking_libraries if other is not rtsys.library)
        return list(dict.fromkeys((library, *called)))

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call by another kernel. The first such call lowers the kernel: cached callers never need its IR."""
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
        """Return the key under which a caller's lowering finds the kernel."""
        return self.py_func

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Load the code and return it for the call; numba calls this when Python calls a kernel that has none."""
        if self.targetoptions.get("no_cpython_wrapper"):
            raise TypeError(f"only kernels call {self.__name__}")
        _load_waiting()
        self.load()
        (compiled,) = self.overloads.values()
        return compiled.entry_point

    def read(self) -> bytes | None:
        """Return the code from the cache; None if the cache has no sound one."""
        return self._file.read() if self._file is not None else None

    def build(self) -> bytes:
        """Compile the code and put it into the cache. Outlined kernels that it calls need no code yet."""
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
        """Load `data`, else the cache's code, else newly compiled code. Outlined kernels that it calls come first."""
        if self.overloads:
            return
        compiled = None
        if data := data or self.read():
            # Another build of numba, of the same version, may have written it.
            with contextlib.suppress(Exception):
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


_IMPORT_LOCK = threading.RLock()  # held while a game is imported and loaded: other threads wait for its kernels
_LOAD_LOCK = threading.RLock()  # held while kernels are built and loaded


class _Declared(threading.local):
    """The kernels that a thread has declared.

    No thread builds those of another one: their module is locked while it is imported, and the thread that imports it
    may be waiting for `_LOAD_LOCK`.
    """

    def __init__(self) -> None:
        self.waiting: list[_Kernel] = []  # not yet loaded; outlined ones stand before their callers
        self.imported: list[str] = []  # modules within `together`


_own = _Declared()
rare: list[_Kernel] = []
"""Entries that are loaded when Python first calls them."""


@contextlib.contextmanager
def together(module: str) -> Iterator[None]:
    """Declare kernels within the context, and load them all at its end.

    `module` is the module that is imported within. If the cache lacks many kernels, helpers import it too.
    """
    with _IMPORT_LOCK:
        _own.imported.append(module)
        was_enabled = gc.isenabled()
        gc.disable()  # numba makes a million objects, almost none of them garbage
        try:
            yield
            _load_waiting(module)
        finally:
            _own.imported.pop()
            if was_enabled:
                gc.enable()


def _load_waiting(module: str = "") -> None:
    with _LOAD_LOCK:
        codes = {kernel: kernel.read() for kernel in _own.waiting}
        codes |= _build([kernel for kernel, code in codes.items() if code is None], module)
        for kernel, code in codes.items():
            kernel.load(code)
        _own.waiting.clear()


def _extent(kernel: _Kernel) -> int:
    """Return an estimate of the work to compile: the bytecode size of a kernel and of those that become part of it.

    Biggest first, so that at the end no process waits long for another.
    """
    parts, left = {kernel}, [kernel]
    while left:
        function = left.pop().py_func
        for name in function.__code__.co_names:
            called = function.__globals__.get(name)
            if isinstance(called, _Kernel) and not called._is_outlined and called not in parts:
                parts.add(called)
                left.append(called)
    return sum(len(part.py_func.__code__.co_code) for part in parts)


def _build(kernels: list[_Kernel], module: str) -> dict[_Kernel, bytes]:
    """Compile kernels and return their code, with helpers if there are many. The cache hands over a helper's code."""
    codes: dict[_Kernel, bytes] = {}
    left = sorted(kernels, key=_extent)

    def take() -> _Kernel | None:
        with contextlib.suppress(IndexError):
            return left.pop()
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
            for _ in range(min(spare_cores(), len(left) // KERNELS_PER_HELPER) if module and not cache_faults else 0):
                helper = stack.enter_context(Helper(module))
                threads.append(threading.Thread(target=delegate, args=(helper,), daemon=True))
                threads[-1].start()
        while kernel := take():
            codes[kernel] = kernel.read() or kernel.build()  # another daemon may have compiled it by now
        for thread in threads:
            thread.join()
    return codes


def help_with(module: str) -> NoReturn:
    """Serve as a helper: import the module, then compile each kernel that a line of standard input names."""
    with together(module):
        importlib.import_module(module)
        kernels = {kernel.symbol: kernel for kernel in _own.waiting}
        for line in sys.stdin:
            kernels[line.rstrip("\n")].build()
            print(line, end="", flush=True)
        os._exit(0)


def entry(signature: Any, is_rare: bool = False) -> Callable[[Function], Function]:
    """Declare a kernel that Python calls. A rare one is loaded or compiled by its first call."""

    def decorate(function: Function) -> Any:
        kernel = _Kernel(function, signature, {})
        if is_rare:
            rare.append(kernel)
            return kernel
        return _want(kernel)

    return decorate


def outlined(signature: Any) -> Callable[[Function], Function]:
    """Declare a kernel that is compiled once and called by its symbol; LLVM cannot inline it."""

    def decorate(function: Function) -> Any:
        return _want(_Kernel(function, signature, _NO_WRAPPER, is_outlined=True))

    return decorate


def inner(signature: Any, forceinline: bool = False) -> Callable[[Function], Function]:
    """Declare a kernel that is a part of each entry that needs it; LLVM may inline it, and must with `forceinline`."""

    def decorate(function: Function) -> Any:
        return _Kernel(function, signature, _NO_WRAPPER | dict(forceinline=forceinline))

    return decorate


def _want(kernel: _Kernel) -> _Kernel:
    """Load a kernel, now or at the end of `together`."""
    _own.waiting.append(kernel)
    if not _own.imported:
        _load_waiting()
    return kernel


def code_address(kernel: Any) -> int:
    """Return the address of an outlined kernel's machine code, for `intrinsics.call_at`.

    A kernel that only an option needs is thus compiled when the option is set, and its callers do not change.
    """
    _load_waiting()
    address = llvmlite.binding.address_of_symbol(kernel.symbol)
    assert address, f"{kernel.__name__} is not outlined"
    return int(address)


def generic(function: Function) -> Function:
    """Make a small kernel for records of any type: it has no signature and is compiled into each kernel that calls
    it."""
    compiled: Function = njit(**_OPTIONS | _NO_WRAPPER | dict(forceinline=True))(function)
    return compiled


def accessor(function: Function) -> Function:
    """Declare a small function of integers that reads or makes a code: plain in Python, inlined in kernels."""
    both: Function = register_jitable(**_OPTIONS, forceinline=True)(function)
    return both


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return the dtype of a kernel's record; a field is `(name, type[, shape])`."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def record_type(dtype: np.dtype[Any]) -> Any:
    """Return the numba type of a record, for signatures."""
    return from_dtype(dtype)


def new_record(dtype: np.dtype[Any]) -> Record:
    """Return a zeroed record that kernels can change in place."""
    return np.zeros(1, dtype)[0]


class ThreadWork(threading.local):
    """A record of working memory for each thread, for calls that keep nothing in it; `moves` is its list of moves."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.record = new_record(dtype)
        self.moves = self.record.moves
