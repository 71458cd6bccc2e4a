/** The reporter for Playwright: `reporter: [['list'], ['rundown-cli/playwright']]`. */
import type {
  FullConfig,
  FullProject,
  FullResult,
  TestError as PlaywrightError,
  Reporter,
  Suite,
  TestCase,
  TestResult,
  TestRun,
} from '@playwright/test/reporter';
import { PLAYWRIGHT } from '#shared/model/runs/run.ts';
import { toForwardSlashes, toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { ReporterOptions } from '../package/reporter.d.ts';
import { beginSession, type ReporterSession } from './begin.ts';
import { formatRepetition, type Repetition } from './last-failed.ts';
import type { Group } from './messages.ts';
import { describePart, findPlaces, keepLastFailed } from './playwright-last-failed.ts';
import { listFiles, toFinishedTest, toTexts } from './playwright-results.ts';
import { PlaywrightRules } from './playwright-rules.ts';
import { balanceShards } from './playwright-shards.ts';
import { printRecorded } from './print.ts';
import { SPEC_OUTPUT_CHARACTERS } from './recorder.ts';
import type { RecordingResult } from './recording-result.ts';

interface Place {
  readonly group: string;
  readonly spec: string;
}

export default class RundownReporter implements Reporter {
  readonly #options: ReporterOptions;
  readonly #places = new Map<TestCase, Place>();
  readonly #sent = new Set<TestCase>();
  readonly #outputs = new Map<string, Place & { text: string; open: number }>();
  readonly #errors: string[] = [];
  #session: { readonly begun: ReporterSession | undefined } | undefined;
  #rules: PlaywrightRules | undefined;
  #suite: { readonly root: Suite; readonly config: FullConfig } | undefined;
  #isForgiven = false;
  #part: string | undefined;
  #repetition: Repetition | undefined;
  #root = '';
  #recorded: RecordingResult | undefined;

  constructor(options: ReporterOptions = {}) {
    this.#options = options;
  }

  printsToStdio(): boolean {
    return false;
  }

  get #begun(): ReporterSession | undefined {
    return this.#session?.begun;
  }

  /** Playwright 1.62 and later call `preprocess` before `onBegin`. Earlier versions do not call it. */
  #begin({ version }: FullConfig): ReporterSession | undefined {
    // `--list` calls reporters, too, but runs no test.
    if (process.argv.includes('--list')) return undefined;
    this.#session ??= { begun: beginSession(this.#options, { type: PLAYWRIGHT, version }) };
    return this.#session.begun;
  }

  async preprocess({ config, suite, testRun }: { config: FullConfig; suite: Suite; testRun: TestRun }): Promise<void> {
    const session = this.#begin(config);
    if (!session) return;
    const { settings } = session;
    const places = findPlaces({ config, suite }, settings);
    this.#part = describePart({ config, suite }, places, settings);
    if (settings.lastFailed) {
      const facts = { settings, part: this.#part, places };
      this.#repetition = await keepLastFailed({ config, suite }, testRun, facts);
      console.log(`Rundown  ${formatRepetition(this.#repetition)}`);
      if (this.#repetition.repeat === 'nothing') {
        this.#session = { begun: undefined };
        return;
      }
    }
    if (config.shard && settings.shards === 'balanced' && this.#repetition?.repeat !== 'tests') {
      const machine = { suite, testRun, shard: config.shard, settings, places };
      console.log(`Rundown  ${await balanceShards(machine)}`);
    }
    this.#rules = await PlaywrightRules.read(settings, config);
    this.#rules.skipTests(suite, testRun);
  }

  onBegin(config: FullConfig, suite: Suite): void {
    const session = this.#begin(config);
    if (!session) return;
    if (this.#part === undefined) warnOfVersion(config, session.settings);
    this.#suite = { root: suite, config };
    this.#root = toForwardSlashes(config.rootDir);
    const groups = suite.suites.map((project) => this.#group(project));
    // There are no suites if no test was found, for example because a spec file cannot be loaded.
    if (groups.length === 0) groups.push(...config.projects.map((project) => toGroup(project, [])));
    this.#begun?.recorder.begin(groups, {
      shards: config.shard?.total,
      part: this.#part,
      isRepetition: this.#repetition?.repeat === 'tests',
      failsOnFlaky: config.failOnFlakyTests,
    });
  }

  #group(suite: Suite): Group {
    const project = suite.project();
    const { name } = toGroup(project, []);
    const tests = suite.allTests().map((test) => {
      const spec = toSpecPath(test.location.file, this.#root);
      const place = { group: name, spec };
      this.#places.set(test, place);
      this.#output(place).open += 1;
      return { testId: test.id, spec };
    });
    return toGroup(project, tests);
  }

  #output(place: Place) {
    const key = JSON.stringify([place.group, place.spec]);
    const output = this.#outputs.get(key) ?? { ...place, text: '', open: 0 };
    this.#outputs.set(key, output);
    return output;
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const place = this.#places.get(test);
    if (!place || !this.#begun) return;
    const output = this.#output(place);
    output.text = (output.text + toTexts(result.stdout).join('')).slice(-SPEC_OUTPUT_CHARACTERS);
    this.#rules?.endRetries(test, result);
    if (willRetry(test, result)) return;
    if (!this.#sent.has(test)) output.open -= 1;
    this.#send(test, place);
    if (output.open === 0) this.#begun.recorder.addOutput(place.group, place.spec, output.text);
  }

  #send(test: TestCase, { group, spec }: Place): void {
    this.#sent.add(test);
    this.#begun?.recorder.add(group, spec, toFinishedTest(test, this.#rules?.findEffect(test)), listFiles(test));
  }

  onError(error: PlaywrightError): void {
    this.#errors.push(error.message ?? error.value ?? 'Error without a message');
  }

  async onEnd({ status }: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    const { recorder, settings } = this.#begun ?? {};
    if (!recorder) return undefined;
    // An interrupted run, or one with too many failures, leaves tests that did not run or were not retried.
    for (const [test, place] of this.#places) if (!this.#sent.has(test)) this.#send(test, place);
    for (const { group, spec, text, open } of this.#outputs.values())
      if (open > 0) recorder.addOutput(group, spec, text);
    const hasFailed = status === 'timedout' || status === 'interrupted' || this.#errors.length > 0;
    this.#isForgiven = status === 'failed' && !hasFailed && this.#isQuarantined();
    if (status === 'failed' && !this.#isForgiven && !this.#hasFailedTests()) recorder.failWithoutReason();
    this.#recorded = await recorder.end({ failed: hasFailed, errors: this.#errors });
    if (settings?.strict && this.#recorded.isIncomplete) return { status: 'failed' };
    return this.#isForgiven ? { status: 'passed' } : undefined;
  }

  #isQuarantined(): boolean {
    return this.#suite !== undefined && this.#rules?.forgives(this.#suite.root, this.#suite.config) === true;
  }

  #hasFailedTests(): boolean {
    return this.#suite?.root.allTests().some((test) => !test.ok()) === true;
  }

  /** Prints after all other reporters, so that the address is the last thing in the terminal. */
  async onExit(): Promise<void> {
    if (this.#recorded && this.#begun) printRecorded(this.#recorded, this.#begun.settings.root);
    if (this.#isForgiven) console.log('Rundown  all failed tests are quarantined, so they do not fail the run');
  }
}

/** Earlier versions do not call `preprocess`, and nobody should believe that they choose tests. */
function warnOfVersion({ version, shard }: FullConfig, { lastFailed, shards }: ReporterSession['settings']): void {
  const old = `Playwright ${version} lets no reporter choose tests, as 1.62 and later do`;
  if (lastFailed) console.error(`Rundown  all tests run. ${old}`);
  if (shard && shards === 'balanced') console.error(`Rundown  the shards are not balanced. ${old}`);
}

/** Playwright retries a test whose attempt did not end as expected, unless the run stops first. */
const willRetry = (test: TestCase, { status, retry }: TestResult): boolean =>
  status !== test.expectedStatus && status !== 'skipped' && status !== 'interrupted' && retry < test.retries;

type GroupMetadata = Pick<Group, 'tags' | 'environment'>;

function toGroup(project: FullProject | undefined, tests: Group['tests']): Group {
  // The fallback is `metadata.pwc`, which `@currents/playwright` reads, so that a suite can change its reporter without
  // changing its projects.
  const metadata: { readonly rundown?: GroupMetadata; readonly pwc?: GroupMetadata } = project?.metadata ?? {};
  const { tags, environment } = metadata.rundown ?? metadata.pwc ?? {};
  const { browserName, channel } = project?.use ?? {};
  return {
    name: project?.name || UNNAMED_PROJECT,
    tests,
    tags: Array.isArray(tags) ? tags.map(String) : undefined,
    environment: typeof environment === 'string' ? environment : undefined,
    browser: browserName === undefined ? undefined : { name: channel ?? browserName },
  };
}
