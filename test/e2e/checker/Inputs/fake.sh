#!/bin/sh
# Stands for an instrumented program: writes a profile where GPUINSTR_OPTIONS says.
echo "hello ${GREETING:-nobody} $*"
case "$MODE" in
hang) sleep 30 ;;
crash) kill -SEGV $$ ;;
differ) test -n "$GPUINSTR_OPTIONS" && echo "only when instrumented" ;;
overwrite) echo gone >profile.json ;;
esac
for option in $GPUINSTR_OPTIONS; do
  case "$option" in
  json=*) sed "s/\"pid\": 42/\"pid\": ${FAKE_PID:-$$}/" "$PROFILE" >"${option#json=}" ;;
  report=*) echo "SUMMARY: gpuinstr: made up" >"${option#report=}" ;;
  esac
done
exit "${CODE:-0}"
