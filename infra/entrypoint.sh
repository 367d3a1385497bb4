#!/bin/sh
# The process of a container, by its first argument: api, feeds, projector, or a command of scripts/ with its own arguments.
set -eu
cd "$(dirname "$0")/.."
name=${1:-}
case "$name" in
  api | feeds | projector) main=services/$name/main.ts ;;
  '' | *[!a-z-]*) main='' ;;
  *) main=scripts/$name.ts ;;
esac
if [ -z "$main" ] || [ ! -f "$main" ]; then
  echo "There is no process '$name'. There are:" api feeds projector $(cd scripts && ls -- *.ts | sed 's/\.ts$//') >&2
  exit 64
fi
shift
exec node --import ./scripts/require-node.mjs "$main" "$@"
