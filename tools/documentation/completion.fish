# Completion of the command backplane for fish.

# Tells the names of subcommands that consist of two words.
function __backplane_nested
    printf '%s\n' @NESTED@
end

# Whether these words are the subcommand of the command line; none: it has no subcommand yet.
function __backplane_is
    set -l words (commandline -opc)[2..3]
    if not contains -- "$words" (__backplane_nested)
        set words $words[1]
    end
    test "$words" = "$argv"
end

# Lists words, each after what is written up to the last comma of a list.
function __backplane_words
    set -l begin (commandline -ct | string replace -r '^--[\w-]+=' '' | string match -r '.*,')
    printf "$begin%s\n" $argv
end

# Lists the names of backends or passes.
function __backplane_names
    set -l words (commandline -opc)
    __backplane_words ($words[1] --describe $argv 2>/dev/null)
end

complete -c backplane -f
@COMPLETIONS@
