# Sourced by the commands beside it: finds a Python, sets the checkout up, and names what there is.
# Sets ROOT (the checkout), SYSTEM_PYTHON (3.11 or newer) and, after `prepare`, PYTHON (the checkout's own).

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SYSTEM_PYTHON=
for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        SYSTEM_PYTHON=$candidate
        break
    fi
done
if [ -z "$SYSTEM_PYTHON" ]; then
    echo "error: Reverie needs Python 3.11 or newer; found $(python3 --version 2>&1 || echo 'no python3')." >&2
    echo "On Debian 12 or later: apt-get install python3 python3-venv. On macOS: brew install python." >&2
    exit 1
fi

prepare() {  # [--tests] [--no-model]
    "$SYSTEM_PYTHON" "$ROOT/infra/prepare.py" "$@" || exit 1
    PYTHON=$ROOT/.venv/bin/python
}
