#!/usr/bin/env bash
# Install the programs that the tests let the daemon play with; where this cannot be done those tests are skipped.
# Not in Debian, built from their sources and named by a variable: CuteGames (CUTEGAMES), the UCCI league's referee
# (UCCILEAG: xqbase/eleeye, LEAGUE/makefile.sh with -fpermissive), Sylvan (SYLVAN_CLI: EterCyber/Sylvan, Qt 5, qmake).
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(chromium fairy-stockfish fonts-wqy-microhei hoichess scrot uci2wb xboard xvfb)
command -v npm >/dev/null || packages+=(nodejs npm)  # there may be another version than Debian's
checkers() { # of the board's page: its types, and who can use it
    [ -f build/node/node_modules/axe-core/axe.min.js ] && [ -x build/node/node_modules/.bin/tsc ] && return
    npm install --silent --no-audit --no-fund --prefix build/node axe-core@4.14.1 typescript@5.9.3
}
if command -v npm >/dev/null; then checkers || echo "npm has no packages" >&2; fi
if dpkg --status "${packages[@]}" >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "needs root and apt-get: ${packages[*]}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
checkers
