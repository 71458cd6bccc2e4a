/** The project Monorepo: 20,000 tests in 400 spec files. Only `--huge` records it. */
import { formatSnippet, green, red, type StoryFailure } from './failure-text.ts';
import { buildLargeRun, type LargeTest, makeFacts, minutesBefore, timeOfDay } from './large-runs.ts';
import { drawFraction } from './noise.ts';
import type { StoryRun } from './story-run.ts';

const PACKAGES = 40;
const MODULES = [
  'cache',
  'client',
  'dates',
  'errors',
  'format',
  'guards',
  'index',
  'money',
  'queue',
  'router',
] as const;
const TESTS_PER_FILE = 50;

const TESTS: readonly LargeTest[] = Array.from({ length: PACKAGES }, (_, index) => {
  const name = `package-${String(index + 1).padStart(2, '0')}`;
  return MODULES.flatMap((module) =>
    Array.from({ length: TESTS_PER_FILE }, (_case, number) => ({
      spec: `packages/${name}/test/${module}.test.ts`,
      title: [module, `case ${number + 1}`, number % 2 === 0 ? 'accepts a value' : 'refuses a value'],
    })),
  );
}).flat();

/** The newer run first. Each takes as long to record as all other runs of the demo together. */
export function buildMonorepoRuns(start: number): StoryRun[] {
  const shape = {
    tests: TESTS,
    machines: 8,
    group: 'node',
    environment: 'ci',
    retries: 0,
    setupMilliseconds: 4000,
    computeDuration: ({ spec, title }: LargeTest) => 4 + 90 * drawFraction('size', spec, ...title) ** 3,
  };
  const firstCommit = { branch: 'main', day: 1, author: 'admin', message: 'Update the packages' } as const;
  const secondCommit = {
    branch: 'main',
    day: 0,
    author: 'actionsAdmin',
    message: 'Format amounts by the standard',
  } as const;
  return [
    buildLargeRun({
      ...shape,
      facts: makeFacts('monorepo', 902, secondCommit),
      createdAt: minutesBefore(start, 240),
      findFailure: ({ spec, title }) =>
        spec.endsWith('/money.test.ts') && title[1] === 'case 7' ? makeWrongAmount(spec) : undefined,
    }),
    buildLargeRun({
      ...shape,
      facts: makeFacts('monorepo', 901, firstCommit),
      createdAt: timeOfDay(start, 1, 13),
      findFailure: () => undefined,
    }),
  ];
}

const makeWrongAmount = (spec: string): StoryFailure => ({
  message: [
    "AssertionError: expected '1,204.00 EUR' to be '1,204.00 €' // Object.is equality",
    '',
    `Expected: ${green('"1,204.00 €"')}`,
    `Received: ${red('"1,204.00 EUR"')}`,
  ].join('\n'),
  file: `/builds/monorepo/${spec}`,
  line: 41,
  column: 34,
  snippet: formatSnippet(41, 34, [
    "  test('case 7', () => {",
    "    expect(formatAmount(120_400)).toBe('1,204.00 €');",
    '  });',
  ]),
  steps: [],
  failedStep: 'Expect "toBe"',
  waits: 2,
});
