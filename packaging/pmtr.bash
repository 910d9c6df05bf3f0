# bash completion for pmtr. Commands and options come from the help texts, so that none is forgotten.
_pmtr() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} command= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
  done
  if [[ -z $command && $word != -* ]]; then
    COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$("$program" $command --help 2>/dev/null | grep -oE '^  -[^ =]*' | tr ',' ' ')" -- "$word"))
  else
    COMPREPLY=()
  fi
}
complete -o default -F _pmtr pmtr
