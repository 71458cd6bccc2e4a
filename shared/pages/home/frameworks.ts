/** The test frameworks that get instructions of their own, with the commands that record their results. */

/** How our own reporter records the results of a framework while its tests run. */
export interface LiveRecording {
  /** The line of the configuration file that adds the reporter. Absent if the command names the reporter. */
  readonly config?: { readonly file: string; readonly line: string };
  readonly run: string;
}

export interface Framework {
  readonly name: string;
  readonly note: string;
  readonly live?: LiveRecording;
  /** The command that writes a report. */
  readonly report: string;
  /** The file name of the report. Default: `report.xml`. */
  readonly file?: string;
  readonly hasPublishedReporter?: boolean;
}

export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Playwright',
    note: 'live, with traces and screenshots',
    live: {
      config: { file: 'playwright.config.ts', line: "reporter: [['list'], ['rundown-cli/playwright']]," },
      run: 'npx playwright test',
    },
    report: 'PLAYWRIGHT_JSON_OUTPUT_NAME=report.json npx playwright test --reporter=list,json',
    file: 'report.json',
    hasPublishedReporter: true,
  },
  {
    name: 'Vitest',
    note: 'live',
    live: {
      config: { file: 'vitest.config.ts, in “test”', line: "reporters: ['default', 'rundown-cli/vitest']," },
      run: 'npx vitest run',
    },
    report: 'npx vitest run --reporter=default --reporter=junit --outputFile=report.xml',
  },
  {
    name: 'Jest',
    note: 'live',
    live: { config: { file: 'jest.config.js', line: "reporters: ['default', 'rundown-cli/jest']," }, run: 'npx jest' },
    report:
      'npm i -D jest-junit\nJEST_JUNIT_OUTPUT_FILE=report.xml npx jest --reporters=default --reporters=jest-junit',
  },
  {
    name: 'node:test',
    note: 'live',
    // A reporter replaces that of Node, so the latter is named as well.
    live: {
      run: 'node --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=rundown-cli/node-test --test-reporter-destination=stdout',
    },
    report: 'node --test --test-reporter=junit --test-reporter-destination=report.xml',
  },
  { name: 'pytest', note: 'from its report', report: 'pytest --junitxml=report.xml' },
];
