# Sourced by deploy/mover and itests/run: finds a JDK that is new enough.
# shellcheck shell=bash

readonly JAVA_LEAST=25
# shellcheck disable=SC2034 # for whoever sources this
jdk_missing="needs a JDK $JAVA_LEAST or newer: none in JAVA_HOME or /usr/lib/jvm; install one \
(for example temurin-$JAVA_LEAST-jdk from adoptium.net) or set MOVER_JAVA_HOME"

# Prints the major version of the JDK in folder $1, by its release file: starting java would cost 40 ms.
java_major() {
  local line
  [[ -x $1/bin/java && -r $1/release ]] || return 1
  while IFS= read -r line; do
    if [[ $line =~ ^JAVA_VERSION=\"([0-9]+) ]]; then
      echo "${BASH_REMATCH[1]}"
      return
    fi
  done < "$1/release"
  return 1
}

# Sets java_home, or says in jdk_missing why not. MOVER_JAVA_HOME is meant for us: when it is wrong nothing else is taken.
find_jdk() {
  local place major
  local -a places=("${JAVA_HOME:-}" /usr/lib/jvm/*)
  if [[ -n ${MOVER_JAVA_HOME:-} ]]; then
    places=("$MOVER_JAVA_HOME")
    jdk_missing="MOVER_JAVA_HOME=$MOVER_JAVA_HOME is no JDK $JAVA_LEAST or newer"
  fi
  for place in "${places[@]}"; do
    if [[ -n $place ]] && major=$(java_major "$place") && ((major >= JAVA_LEAST)); then
      # shellcheck disable=SC2034
      java_home=$place
      return
    fi
  done
  return 1
}
