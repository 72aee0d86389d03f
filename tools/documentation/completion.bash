# Completion of the command backplane for bash.

# By subcommand: its options. Those of `backplane` stand in place of a subcommand.
declare -gA _backplane_options=(
@OPTIONS@
)
# By subcommand, and an option that takes a value or the word `argument`: the words that complete it. @backend and @pass
# stand for the names that the command lists, @file and @folder for those of files and folders.
declare -gA _backplane_values=(
@VALUES@
)

_backplane() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} values
  COMPREPLY=()
  # Readline makes a word of the = in --on=cpu.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    command=backplane
  elif ((COMP_CWORD > 2)) && [[ ${_backplane_options["$command ${COMP_WORDS[2]}"]} ]]; then
    command+=" ${COMP_WORDS[2]}"
  fi
  if [[ $before == -* && ${_backplane_values["$command $before"]+is_known} ]]; then
    values=${_backplane_values["$command $before"]}
  elif [[ $word == -* || ! ${_backplane_values["$command argument"]+is_known} ]]; then
    values=${_backplane_options[$command]}
  else
    values=${_backplane_values["$command argument"]}
  fi
  _backplane_complete "$word" $values
}

# Completes a word by words, after the last comma of a list. A backend may also be the path of its plugin.
_backplane_complete() {
  local last=${1##*,} value
  local begin=${1%"$last"} words=()
  for value in "${@:2}"; do
    case $value in
      @backend) words+=($("${COMP_WORDS[0]}" --describe backends 2>/dev/null)) ;;
      @pass) words+=($("${COMP_WORDS[0]}" --describe passes 2>/dev/null)) ;;
      @file) _backplane_files -f "$1" ;;
      @folder) _backplane_files -d "$1" ;;
      *) words+=("$value") ;;
    esac
    if [[ $value == @backend && $1 == */* ]]; then
      _backplane_files -f "$1"
    fi
  done
  while IFS= read -r value; do
    COMPREPLY+=("$value")
  done < <(compgen -P "$begin" -W "${words[*]}" -- "$last")
  if [[ ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

_backplane_files() {
  local file
  while IFS= read -r file; do
    COMPREPLY+=("$file")
  done < <(compgen "$1" -- "$2")
  compopt -o filenames 2>/dev/null
}

complete -F _backplane backplane
