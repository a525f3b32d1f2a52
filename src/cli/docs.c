/* SPDX-License-Identifier: MIT */
/* plansim-docs: manual pages, completions and the list of examples, out of the command table
 *
 * Runs on the build machine while building, and needs nothing but the C library.
 *
 *     plansim-docs man [COMMAND] | bash | zsh | fish | examples
 */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*OptionPrinter)(const PsimCommandOption *option, const PsimCommand *command);

static void
for_each_option(const PsimCommand *command, OptionPrinter print)
{
    for (const PsimCommandTopic *topic = command->topics; topic->title != NULL; topic++) {
        for (const PsimCommandOption *option = topic->options; option->name != NULL; option++)
            print(option, command);
    }
}

/* -- Manual pages ------------------------------------------------------------------------------ */

/* roff takes "-" for a hyphen, "\" for an escape, and "." or "'" at the start for a request. */
static void
print_roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        (void)fputs("\\&", stdout);
    for (; *text != '\0'; text++) {
        if (*text == '-' || *text == '\\')
            (void)putchar('\\');
        (void)putchar(*text == '\\' ? 'e' : *text);
    }
}

static void
print_roff_line(const char *before, const char *text, const char *after)
{
    (void)fputs(before, stdout);
    print_roff(text);
    (void)fputs(after, stdout);
}

static void
print_man_option(const PsimCommandOption *option, const PsimCommand *command)
{
    (void)command;
    (void)fputs(".TP\n.B ", stdout);
    if (option->letter != 0)
        (void)printf("\\-%c, ", option->letter);
    print_roff_line("\\-\\-", option->name, "");
    if (option->value != NULL)
        print_roff_line(" \\fI", option->value, "\\fR");
    print_roff_line("\n", option->help, "");
    if (option->pointer != NULL)
        print_roff_line(" (sets ", option->pointer, ")");
    (void)fputs(".\n", stdout);
}

static void
print_man_exits(const char *exit_no)
{
    (void)fputs(".SH EXIT STATUS\n.TP\n.B 0\nDone.\n", stdout);
    if (exit_no != NULL)
        print_roff_line(".TP\n.B 1\nThe answer is no: ", exit_no, ".\n");
    (void)fputs(".TP\n.B 2\nWrong usage.\n"
                ".TP\n.B 3\nBad input.\n"
                ".TP\n.B 4\nCannot read or write.\n"
                ".TP\n.B 5\nA fault of plansim.\n"
                ".TP\n.B 130\nInterrupted.\n",
                stdout);
}

static void
print_man_command(const PsimCommand *command)
{
    (void)printf(".TH PLANSIM\\-");
    for (const char *at = command->name; *at != '\0'; at++)
        (void)putchar(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    (void)printf(" 1 \"\" \"plansim %s\"\n.SH NAME\n", PSIM_VERSION);
    (void)printf("plansim\\-%s \\- %s\n", command->name, command->summary);
    (void)printf(".SH SYNOPSIS\n.B plansim %s\n", command->name);
    print_roff_line("", command->operands, " [\\fIOPTION\\fR...]\n");
    print_roff_line(".SH DESCRIPTION\n", command->operands_help, "\n");
    for (const PsimCommandTopic *topic = command->topics; topic->title != NULL; topic++) {
        if (topic->title[0] != '\0')
            (void)printf(".SH \"%s\"\n", topic->title);
        for (const PsimCommandOption *option = topic->options; option->name != NULL; option++)
            print_man_option(option, command);
    }
    (void)fputs(".SH EXAMPLES\n", stdout);
    for (const PsimCommandExample *example = command->examples; example->arguments != NULL;
         example++) {
        print_roff_line(".TP\n.B plansim ", example->arguments, "\n");
        print_roff_line("", example->meaning, "\n");
    }
    print_man_exits(command->exit_no);
    (void)fputs(".SH SEE ALSO\n.BR plansim (1)\n", stdout);
}

static void
print_man_overview(void)
{
    (void)printf(
        ".TH PLANSIM 1 \"\" \"plansim %s\"\n.SH NAME\n"
        "plansim \\- simulate one training step of a parallel plan\n"
        ".SH SYNOPSIS\n.B plansim\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n"
        ".SH DESCRIPTION\n"
        "A model, a cluster and a plan of tensor, pipeline and data parallelism go in; the "
        "time of a step,\nthe bubble and the memory of each stage come out.\n"
        ".SH COMMANDS\n",
        PSIM_VERSION);
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        (void)printf(".TP\n.BR plansim\\-%s (1)\n", command->name);
        print_roff_line("", command->summary, "\n");
    }
    print_man_exits("the plan does not fit");
    (void)fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set, nothing is coloured.\n", stdout);
}

/* -- bash -------------------------------------------------------------------------------------- */

static void
print_bash_word(const PsimCommandOption *option, const PsimCommand *command)
{
    (void)command;
    (void)printf(" --%s", option->name);
}

/* What completes a value: a shell command that prints words, or files. */
static void
print_bash_choices(const char *choices)
{
    if (choices == NULL)
        (void)printf("COMPREPLY=()");
    else if (strcmp(choices, "FILE") == 0)
        (void)printf("COMPREPLY=($(compgen -f -- \"$word\"))");
    else if (strncmp(choices, "list ", 5) == 0)
        (void)printf("COMPREPLY=($(compgen -f -W \"$(plansim list %s --names 2>/dev/null)\" -- "
                     "\"$word\"))",
                     choices + 5);
    else
        (void)printf("COMPREPLY=($(compgen -W \"%s\" -- \"$word\"))", choices);
}

static void
print_bash_value(const PsimCommandOption *option, const PsimCommand *command)
{
    if (option->value == NULL)
        return;
    (void)printf("    %s:--%s", command->name, option->name);
    if (option->letter != 0)
        (void)printf("|%s:-%c", command->name, option->letter);
    (void)printf(") ");
    print_bash_choices(option->choices);
    (void)printf("; return ;;\n");
}

static void
print_bash(void)
{
    (void)printf("# bash completion for plansim; generated from the command table\n"
                 "_plansim() {\n"
                 "  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "  local command=${COMP_WORDS[1]}\n"
                 "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "    COMPREPLY=($(compgen -W \"help --help --version");
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++)
        (void)printf(" %s", command->name);
    (void)printf("\" -- \"$word\"))\n    return\n  fi\n  case $command:$last in\n");
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++)
        for_each_option(command, print_bash_value);
    (void)printf("  esac\n  case $command:$word in\n");
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        (void)printf("    %s:-*) COMPREPLY=($(compgen -W \"", command->name);
        for_each_option(command, print_bash_word);
        (void)printf("\" -- \"$word\")) ;;\n    %s:*) ", command->name);
        print_bash_choices(command->choices);
        (void)printf(" ;;\n");
    }
    (void)printf("  esac\n}\ncomplete -F _plansim plansim\n");
}

/* -- zsh --------------------------------------------------------------------------------------- */

/* Brackets and colons end a description; a quote ends the word. */
static void
print_zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            (void)fputs("'\\'", stdout);
        else if (strchr("[]:", *text) != NULL)
            (void)putchar('\\');
        (void)putchar(*text);
    }
}

static void
print_zsh_choices(const char *choices)
{
    if (choices == NULL)
        (void)putchar(' ');
    else if (strcmp(choices, "FILE") == 0)
        (void)fputs("_files", stdout);
    else if (strncmp(choices, "list ", 5) == 0)
        (void)printf("{ compadd -- $(plansim list %s --names 2>/dev/null); _files }", choices + 5);
    else
        (void)printf("(%s)", choices);
}

static void
print_zsh_option(const PsimCommandOption *option, const PsimCommand *command)
{
    (void)command;
    (void)printf(" \\\n        '--%s%s[", option->name, option->value == NULL ? "" : "=");
    print_zsh_text(option->help);
    (void)putchar(']');
    if (option->value != NULL) {
        (void)putchar(':');
        print_zsh_text(option->value);
        (void)putchar(':');
        print_zsh_choices(option->choices);
    }
    (void)putchar('\'');
}

static void
print_zsh(void)
{
    (void)printf("#compdef plansim\n# zsh completion for plansim; generated from the command "
                 "table\n_plansim() {\n  local -a commands=(\n");
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        (void)printf("    '%s:", command->name);
        print_zsh_text(command->summary);
        (void)printf("'\n");
    }
    (void)printf("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n"
                 "  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
                 "  case $command in\n");
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        (void)printf("    %s)\n      _arguments", command->name);
        for_each_option(command, print_zsh_option);
        (void)printf(" \\\n        '1:");
        print_zsh_text(command->operands);
        (void)putchar(':');
        print_zsh_choices(command->choices);
        (void)printf("' '*:file:_files' ;;\n");
    }
    (void)printf("  esac\n}\n_plansim \"$@\"\n");
}

/* -- fish -------------------------------------------------------------------------------------- */

static void
print_fish_text(const char *text)
{
    (void)putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            (void)putchar('\\');
        (void)putchar(*text);
    }
    (void)putchar('\'');
}

static void
print_fish_choices(const char *choices)
{
    if (choices == NULL)
        return;
    if (strcmp(choices, "FILE") == 0)
        (void)fputs(" -F", stdout);
    else if (strncmp(choices, "list ", 5) == 0)
        (void)printf(" -F -a '(plansim list %s --names 2>/dev/null)'", choices + 5);
    else
        (void)printf(" -f -a '%s'", choices);
}

static void
print_fish_option(const PsimCommandOption *option, const PsimCommand *command)
{
    (void)printf("complete -c plansim -n '__fish_seen_subcommand_from %s' -l %s", command->name,
                 option->name);
    if (option->letter != 0)
        (void)printf(" -s %c", option->letter);
    if (option->value != NULL)
        (void)printf(" -r");
    print_fish_choices(option->choices);
    (void)printf(" -d ");
    print_fish_text(option->help);
    (void)putchar('\n');
}

static void
print_fish(void)
{
    (void)printf("# fish completion for plansim; generated from the command table\n");
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        (void)printf("complete -c plansim -f -n __fish_use_subcommand -a %s -d ", command->name);
        print_fish_text(command->summary);
        (void)printf("\ncomplete -c plansim -n '__fish_seen_subcommand_from %s'", command->name);
        print_fish_choices(command->choices);
        (void)putchar('\n');
        for_each_option(command, print_fish_option);
    }
}

/* -- Examples ---------------------------------------------------------------------------------- */

/* "EXIT ARGUMENTS" a line, for the test that runs them all. */
static void
print_examples(void)
{
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        for (const PsimCommandExample *example = command->examples; example->arguments != NULL;
             example++)
            (void)printf("%d %s\n", (int)example->exit, example->arguments);
    }
}

static int
print_man(const char *name)
{
    if (name == NULL) {
        print_man_overview();
        return EXIT_SUCCESS;
    }
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            print_man_command(command);
            return EXIT_SUCCESS;
        }
    }
    return EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } pages[] = {
        {"bash", print_bash},
        {"zsh", print_zsh},
        {"fish", print_fish},
        {"examples", print_examples},
    };

    if (argc >= 2 && strcmp(argv[1], "man") == 0)
        return print_man(argc > 2 ? argv[2] : NULL);
    for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof pages[0]; i++) {
        if (strcmp(pages[i].name, argv[1]) == 0) {
            pages[i].print();
            return EXIT_SUCCESS;
        }
    }
    (void)fprintf(stderr, "usage: plansim-docs man [COMMAND] | bash | zsh | fish | examples\n");
    return EXIT_FAILURE;
}
