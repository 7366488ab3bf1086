#!/bin/sh
# Makes deploy/secrets for compose: keys of the service, passwords of its database and of Grafana. Runs once; what is there stays.
# PRIMO is how the command is called, such as "docker run --rm primo" (the default) or "node apps/cli/bin/primo.js".
set -eu
cd "$(dirname "$0")/.."
PRIMO=${PRIMO:-docker run --rm primo}
folder=deploy/secrets
if [ -e "$folder" ]; then
  echo "$folder is there already" >&2
  exit 1
fi
# Nobody else enters the folder; containers are shown single files of it and must be able to read them.
mkdir -m 0700 "$folder"
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
word() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
admin=$($PRIMO key admin --json)
metrics=$($PRIMO key read --json)
printf '%s\n' "$admin" | field secret > "$folder/admin-key"
printf '%s' "$(printf '%s\n' "$metrics" | field secret)" > "$folder/metrics-key"
printf '%s\n' "$admin" "$metrics" | field entry > "$folder/keys"
password=$(word)
printf '%s' "$password" > "$folder/postgres-password"
printf 'postgres://primo:%s@postgres:5432/primo' "$password" > "$folder/store"
word > "$folder/grafana-password"
chmod 0444 "$folder"/*
echo "made $folder: the key of role admin is in $folder/admin-key"
