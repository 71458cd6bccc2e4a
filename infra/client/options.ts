/** The commands and their options. Every option can also be set with an environment variable. */
import { parseArgs } from 'node:util';
import { REPORT_FORMATS } from '#shared/model/runs/report-format.ts';
import { type Dsn, parseDsn } from './settings/dsn.ts';
import { getErrorMessage, UsageFailure } from './settings/failure.ts';

interface Option {
  readonly kind: 'text' | 'list' | 'flag';
  readonly means: string;
  /** The environment variable of the option. By default, `keep-open` has the variable `RUNDOWN_KEEP_OPEN`. */
  readonly variable?: string | undefined;
}

const text = (means: string, variable?: string): Option => ({ kind: 'text', means, variable });
const flag = (means: string): Option => ({ kind: 'flag', means });

const SERVICE = {
  url: text('address of the service, for example https://rundown.example.com'),
  project: text('id of the project'),
  key: text('API key with Read & Write', 'RUNDOWN_API_KEY'),
  organization: text('id of the organization, for a CI job of a trusted repository, which needs no key'),
} as const;

/** Of the commands that import reports. */
const IMPORTS = {
  'ci-build-id': text('id of the build; imports with the same id belong to one run'),
  branch: text('name of the branch'),
  sha: text('SHA of the commit'),
  message: text('message of the commit'),
  author: text('author of the commit'),
  'author-email': text('email address of the author'),
  repository: text('address of the repository'),
  'pull-request': text('number of the pull request'),
  format: text(`${REPORT_FORMATS.join(', ')}: only if the format is detected wrongly`),
  group: text('group of the tests, such as a browser'),
  tag: { kind: 'list', means: 'tag of the run; may be repeated', variable: 'RUNDOWN_TAGS' },
  environment: text('environment that was tested'),
  root: text('folder of the repository; paths below it become relative'),
  timezone: text('time zone of report times without one, such as Europe/Berlin'),
  'machine-id': text('id of the machine that ran the tests'),
  try: text('number of the try, if the job repeats its tests itself'),
  summary: text('file to which a Markdown summary is appended'),
  outputs: text('file to which the outputs of a GitHub step are appended'),
  'keep-open': flag('keep the run open for imports from other machines'),
  strict: flag('fail the job if the upload fails'),
} as const satisfies Readonly<Record<string, Option>>;

const COMMANDS = {
  upload: {
    takes: '[files, folders or globs...]',
    means:
      'Import test reports into one run, and print its address. Without a file, reports in the default places of test tools',
    options: {
      ...SERVICE,
      ...IMPORTS,
      status: text('result of the job: passed or failed'),
      spool: flag('send results that a reporter could not send, instead of reports; RUNDOWN_SPOOL names their folder'),
      'dry-run': flag('read the reports and record nothing'),
      json: flag('print JSON'),
    },
  },
  run: {
    takes: '-- command...',
    means:
      'Start a command, upload the reports that it writes, and end with 0 although it failed if each failure is quarantined',
    options: {
      ...SERVICE,
      report: { kind: 'list', means: 'file, folder or glob that the command writes; may be repeated' },
      'exit-code': {
        kind: 'list',
        means: 'exit code with which the command says that tests failed; may be repeated. Default: that of the tool',
      },
      ...IMPORTS,
    },
  },
  complete: {
    takes: '',
    means: 'End the run that imports kept open',
    options: {
      ...SERVICE,
      'ci-build-id': text('id of the build'),
      try: text('number of the try, as in the uploads'),
      strict: flag('fail the job if the run cannot be completed'),
      json: flag('print JSON'),
    },
  },
  'last-failed': {
    takes: '[-- command...]',
    means:
      'In a later try of a build, print what the runner has to run again, or start the command with it. Prints nothing if everything has to run',
    options: {
      ...SERVICE,
      'ci-build-id': text('id of the build'),
      try: text('number of this try, if the job repeats its tests itself'),
      group: text('group of the tests, as in the uploads'),
      format: text('pytest, vitest, jest or files: what the runner takes'),
    },
  },
  gate: {
    takes: '[run]',
    means: 'Wait until a run has ended, and fail if it has new failures or missing tests',
    options: {
      ...SERVICE,
      rule: {
        kind: 'list',
        means: 'new-failures or missing-tests; may be repeated. Default: those of the project, or both if it has none',
      },
      base: text('id of the run to compare with. Default: the last complete one of the default branch'),
      wait: text('minutes to wait until the run has ended. Default: 30'),
      json: flag('print JSON'),
    },
  },
  why: {
    takes: '[run]',
    means: 'Print why the tests of a run failed',
    options: { ...SERVICE, limit: text('maximum number of failed tests to print, 1 to 50'), json: flag('print JSON') },
  },
  open: {
    takes: '[run]',
    means: 'Open the page of a run in the browser',
    options: { ...SERVICE, json: flag('print its address as JSON, and open nothing') },
  },
} as const satisfies Readonly<
  Record<string, { takes: string; means: string; options: Readonly<Record<string, Option>> }>
>;

type CommandName = keyof typeof COMMANDS;

export interface CommandLine {
  readonly command: CommandName;
  readonly operands: readonly string[];
  readonly text: (name: string) => string | undefined;
  readonly list: (name: string) => readonly string[];
  readonly has: (name: string) => boolean;
}

const HELP = 'Run `rundown --help` for the commands and their options';

const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

const getVariableName = (name: string, option?: Option): string =>
  option?.variable ?? `RUNDOWN_${name.toUpperCase().replaceAll('-', '_')}`;

const isSet = (value: string | undefined): boolean => ['1', 'true'].includes(value ?? '');

/** The rest of the command line may be invalid. */
export const isJsonRequested = (args: readonly string[]): boolean =>
  args.includes('--json') || isSet(process.env[getVariableName('json')]);

/**
 * Options on the command line have priority over environment variables, and both over the parts of `RUNDOWN_DSN`. The
 * DSN itself is not an option, because it contains the key, and other users of a machine can see the command lines of
 * its programs.
 */
export function parseCommandLine([name = '', ...args]: readonly string[]): CommandLine {
  if (!isCommand(name)) throw new UsageFailure(name ? `Unknown command "${name}"` : 'No command is given', HELP);
  const commandOptions: Readonly<Record<string, Option>> = COMMANDS[name].options;
  const { values, positionals } = parseArguments(args, commandOptions);
  const from = (option: string) => process.env[getVariableName(option, commandOptions[option])] || undefined;
  const { RUNDOWN_DSN: dsn } = process.env;
  const fromDsn = (option: string) => (dsn && isPartOfDsn(option) ? parseDsn(dsn)[option] : undefined);
  return {
    command: name,
    operands: positionals,
    text: (option) => {
      const value = values[option];
      return typeof value === 'string' && value !== '' ? value : (from(option) ?? fromDsn(option));
    },
    list: (option) => {
      const value = values[option];
      return Array.isArray(value) ? value.map(String) : (from(option)?.split(',') ?? []);
    },
    has: (option) => values[option] === true || isSet(from(option)),
  };
}

const isPartOfDsn = (option: string): option is keyof Dsn => Object.hasOwn(SERVICE, option);

function parseArguments(args: readonly string[], commandOptions: Readonly<Record<string, Option>>) {
  const options = Object.fromEntries(
    Object.entries(commandOptions).map(([name, { kind }]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: kind === 'list' },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageFailure(getErrorMessage(error), HELP);
  }
}

export function help(): string {
  const commands = Object.entries(COMMANDS).map(([name, { takes, means, options }]) => {
    const lines = Object.entries(options).map(
      ([option, definition]) =>
        `  ${`--${option}${definition.kind === 'flag' ? '' : ' <value>'}`.padEnd(26)}${definition.means} (${getVariableName(option, definition)})`,
    );
    return [`rundown ${name} ${takes}`.trimEnd(), `  ${means}.`, ...lines].join('\n');
  });
  return `${commands.join('\n\n')}\n\nThe variable RUNDOWN_DSN=https://<key>@<host>/<projectId> sets --url, --key and --project at once. CI jobs of trusted repositories need no key: RUNDOWN_DSN=https://<host>/<organizationId>/<projectId>.\nName a run by its address, its id or the id of its CI build. In a CI job, the default is the run of the build. \`rundown --version\` prints the version.`;
}
