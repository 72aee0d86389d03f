#compdef backplane
# Completion of the command backplane for zsh.

# Completes by words, after the last comma of a list. A word that ends in = is followed by a value.
_backplane_words() {
  compset -P '*,'
  compadd -S '' -- ${(M)@:#*=}
  compadd -- ${@:#*=}
}

_backplane_passes() {
  _backplane_words ${(f)"$(_call_program passes $program --describe passes)"}
}

# A backend is given by its name or the path of its plugin.
_backplane_backends() {
  _backplane_words ${(f)"$(_call_program backends $program --describe backends)"}
  _files -g '*.so'
}

@FUNCTIONS@

_backplane() {
  local program=$words[1]
  local -a subcommands=(
@SUBCOMMANDS@
  )
  if (( CURRENT == 2 )); then
    _describe command subcommands
    _arguments '--help[list the commands]' '--version[print the version]'
    return
  fi
  shift words
  (( CURRENT-- ))
  if (( CURRENT > 2 && $+functions[_backplane_$words[1]_$words[2]] )); then
    words[1]+=_$words[2]
    words[2]=()
    (( CURRENT-- ))
  fi
  if (( $+functions[_backplane_$words[1]] )); then
    _backplane_$words[1]
  fi
}

_backplane "$@"
