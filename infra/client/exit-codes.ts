/** What the exit code of a tool says. Only one that says "tests failed" may become 0. */

interface ToolCodes {
  readonly codes: readonly number[];
  /** The largest code of a tool whose code is the number of its failed tests. */
  readonly most?: number;
  /** The option without which the tool leaves tests out after a failure, and the report does not say so. */
  readonly needs?: readonly string[];
}

const ONE: ToolCodes = { codes: [1] };
const NUMBER: ToolCodes = { codes: [1], most: 255 };
const ROBOT: ToolCodes = { codes: [], most: 250 };
const NEXTEST: ToolCodes = { codes: [100], needs: ['--no-fail-fast'] };

/** By the tool that wrote a JUnit or CTRF report, or by the format of the report. All others end with 1. */
const TOOLS: Readonly<Record<string, ToolCodes>> = {
  nextest: NEXTEST,
  'nextest-json': NEXTEST,
  surefire: { codes: [1], needs: ['--fail-at-end', '-fae', '--fail-never', '-fn'] },
  gradle: { codes: [1], needs: ['--continue'] },
  robot: ROBOT,
  'robot-xml': ROBOT,
  'robot-json': ROBOT,
  'mocha-junit': NUMBER,
  'mocha-xunit': NUMBER,
  'mocha-json': NUMBER,
  mochawesome: NUMBER,
  'cypress-json': NUMBER,
  nunit2: NUMBER,
  nunit3: NUMBER,
  catch2: { codes: [42], most: 255 },
  // Errors of tests have another code than failed assertions.
  phpunit: { codes: [1, 2] },
  // VSTest ends with 1, and Microsoft.Testing.Platform with 2.
  trx: { codes: [1, 2] },
  ctest: { codes: [8] },
  'xcresult-json': { codes: [1, 65] },
};

const getTool = (name: string): ToolCodes => (Object.hasOwn(TOOLS, name) ? (TOOLS[name] ?? ONE) : ONE);

export const saysFailedTests = (name: string, code: number, failures: number): boolean => {
  const { codes, most } = getTool(name);
  return codes.includes(code) || (most !== undefined && code === Math.min(failures, most));
};

/** The options of which the command has none, although the tool needs one of them to run all tests. */
export function findMissingOption(name: string, words: readonly string[]): string | undefined {
  const { needs } = getTool(name);
  return needs && !needs.some((option) => words.includes(option)) ? needs[0] : undefined;
}

const STOPS =
  /^--?(?:bail|exitfirst|fail-?fast|max-?fail(?:ures)?|stepwise|sw|stop-on-(?:defect|error|failure))(?:=(.*))?$/i;
/** Also among other short options, such as `-xvs`. */
const STOPS_PYTEST = /^-[hlqsvV]*x/;
const PYTEST = /(?:^|[\\/])py\.?test(?:\.exe)?$/;

/** An option with which the tool does not run all tests after a failure. */
export function findStoppingOption(words: readonly string[]): string | undefined {
  const isPytest = words.some((word) => PYTEST.test(word));
  return words.find((word) => {
    if (isPytest && STOPS_PYTEST.test(word)) return true;
    const match = STOPS.exec(word);
    return match !== null && match[1] !== '0' && match[1] !== 'false';
  });
}
