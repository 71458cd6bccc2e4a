/**
 * The setup file for Vitest that applies the rules of the project: `setupFiles: ['rundown-cli/vitest-rules']`. It runs
 * before each test file. The reporter asks for the rules once, and provides them.
 */
import {
  beforeEach,
  inject,
  type RunnerTestFile,
  type RunnerTestSuite,
  type TestContext,
  type TestError,
} from 'vitest';
import type { RuleAnnotation } from '#shared/model/rules/rule-annotations.ts';
import { replaceUnstableParts } from '#shared/reports/paths.ts';
import { type Matchable, toMatchableErrors } from '#shared/rules/match.ts';
import { formatRuleNote, listRuleAnnotations, matchRules, type ServedRule } from './rules-of-project.ts';
import { formatGroupName, formatSpecName, makeTestName, type TestName } from './test-names.ts';

interface ProvidedRules {
  readonly rules: readonly ServedRule[];
  readonly gitInfo: Matchable['gitInfo'];
  /** Spec files are named relative to this folder. */
  readonly root: string;
}

/** What the rules did to a test. The reporter reads it. */
interface RuleMeta {
  readonly annotations: readonly RuleAnnotation[];
  /** The errors of a test that failed in quarantine. Vitest keeps no errors of a test that ends as skipped. */
  readonly quarantined?: readonly TestError[];
}

declare module 'vitest' {
  interface ProvidedContext {
    rundown: ProvidedRules | undefined;
  }
  interface TaskMeta {
    rundown?: RuleMeta;
  }
}

// `undefined` if nothing is recorded.
const provided = inject('rundown');
if (provided && provided.rules.length > 0) beforeEach((context) => applyRules(context, provided));

function applyRules(context: TestContext, providedRules: ProvidedRules): void {
  const { task } = context;
  const match = () => matchRules(providedRules.rules, toMatchable(task, providedRules));
  const before = match();
  // Vitest 3 retries a test although it was skipped in between.
  if (task.meta.rundown?.quarantined) context.skip(formatRuleNote('Quarantined', before.quarantine));
  task.meta.rundown = { annotations: listRuleAnnotations(before, before.skip && 'skip') };
  if (before.skip) context.skip(formatRuleNote('Skipped', before.skip));
  const onFailure = () => {
    const after = match();
    const annotations = listRuleAnnotations(after, after.quarantine && 'quarantine');
    task.meta.rundown = { annotations };
    if (!after.quarantine) return;
    task.meta.rundown = { annotations, quarantined: task.result?.errors ?? [] };
    context.skip(formatRuleNote('Quarantined', after.quarantine));
  };
  // A test that is expected to fail fails by passing, which Vitest finds out later.
  if (!task.fails) context.onTestFailed(onFailure);
  else
    context.onTestFinished(() => {
      if (task.result?.state === 'pass') onFailure();
    });
}

function toMatchable(task: TestContext['task'], { gitInfo, root }: ProvidedRules): Matchable {
  const { file } = task;
  const spec = formatSpecName(root, file.filepath);
  const { title, testId } =
    listTestNames(file, spec).get(task.id) ?? makeTestName({ spec, copies: new Map() }, [task.name]);
  return {
    title: title.at(-1) ?? '',
    titlePath: [spec, ...title],
    file: spec,
    project: formatGroupName(file.projectName),
    testId,
    tag: task.tags ?? [],
    gitInfo,
    errors: toMatchableErrors((task.result?.errors ?? []).map(({ name, message }) => `${name}: ${message}`)),
  };
}

const namesByFile = new WeakMap<RunnerTestFile, ReadonlyMap<string, TestName>>();

/** The names of the tests of a file, by the ids of Vitest. Of several equal names, all but the first get a number. */
function listTestNames(file: RunnerTestFile, spec: string): ReadonlyMap<string, TestName> {
  const cachedNames = namesByFile.get(file);
  if (cachedNames) return cachedNames;
  const copies = new Map<string, number>();
  const names = new Map([...walkTitles(file)].map(([id, parts]) => [id, makeTestName({ spec, copies }, parts)]));
  namesByFile.set(file, names);
  return names;
}

function* walkTitles(
  { tasks }: RunnerTestSuite,
  above: readonly string[] = [],
): Generator<[id: string, parts: readonly string[]]> {
  for (const task of tasks) {
    const parts = [...above, replaceUnstableParts(task.name)];
    if (task.type === 'suite') yield* walkTitles(task, parts);
    else yield [task.id, parts];
  }
}
