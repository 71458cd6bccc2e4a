/**
 * The answer to a red run: a paragraph of facts, composed of what the comparison found. It begins with the cause of most
 * failures and ends with what to do. If the new failures are repaired already, it begins with that. Pages, comments, messages and the context for agents show it, each in its markup.
 */
import { formatCount } from '#shared/engine/format-count.ts';
import type { ComparedTest, FailureCause, RunComparison, Verdict } from '../comparisons/comparison-wire.ts';
import { describeKnownFlaky } from '../executions/describe-known-flaky.ts';
import type { ShownExecution } from '../executions/latest-executions.ts';
import { compareCauses } from './causes.ts';

/** The page that a part of the answer leads to. */
export type AnswerTarget =
  | { readonly kind: 'cause'; readonly verdict: Verdict; readonly cause: string }
  | { readonly kind: 'section'; readonly verdict: Verdict }
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'test'; readonly test: Pick<ComparedTest, 'instanceId' | 'testId'> }
  | { readonly kind: 'quarantine'; readonly test: ComparedTest };

/** Text of our own, with or without a link, or a quotation of what tests and people wrote. */
export type AnswerPart =
  | string
  | { readonly words: string; readonly to: AnswerTarget }
  | { readonly quote: string; readonly to?: AnswerTarget | undefined };

export type Sentence = readonly AnswerPart[];

interface Failures {
  /** Whether there are no further failures. */
  readonly isWhole: boolean;
  readonly total: number;
  /** `undefined` if the causes of some failures are not known. */
  readonly causeCount: number | undefined;
  /** Those that say most first, with the section that lists them. */
  readonly causes: readonly (FailureCause & { readonly to?: AnswerTarget | undefined })[];
}

interface AnswerFacts {
  readonly comparison: RunComparison;
  /** The next executions of new failures, on the same branch. `undefined` for those that did not run again yet. */
  readonly nextOf?: (test: ComparedTest) => ShownExecution | undefined;
  /** Whether the base ran after the run, so that nothing happened since. */
  readonly isBaseNewer?: boolean;
  /** The number of errors and other problems outside tests that fail the run. */
  readonly problems?: number;
}

/** Without base, all failures are in the section `failed`. */
const FAILING: readonly Verdict[] = ['new', 'failed', 'still_failing'];

/** Empty if no test failed. */
export function writeAnswer(facts: AnswerFacts): Sentence[] {
  const { comparison, isBaseNewer = false, problems = 0 } = facts;
  const sections = comparison.sections.filter(({ verdict, total }) => FAILING.includes(verdict) && total > 0);
  const total = sections.reduce((sum, section) => sum + section.total, 0);
  if (total === 0) return [];
  const causeCount = sections.reduce((sum, section) => sum + (section.causeCount ?? Number.NaN), 0);
  const causes = sections
    .flatMap((section) => (section.causes ?? []).map((cause) => ({ ...cause, to: findTarget(section, cause) })))
    .toSorted(compareCauses);
  const failures = {
    isWhole: sections.every(({ isLowerBound }) => !isLowerBound),
    total,
    causeCount: Number.isNaN(causeCount) ? undefined : causeCount,
    causes,
  };
  return [
    ...writeRepair(facts),
    writeCauses(failures),
    ...writeNew(comparison, { total, isBaseNewer }),
    ...writeOld(comparison, isBaseNewer),
    ...writeFlaky(comparison),
    ...writeFixed(comparison, isBaseNewer),
    ...writeProblems(problems),
    ...writeAdvice(facts),
  ];
}

/** The first sentence. It uses nothing but the failures, so it may also be shown to outsiders. */
export function writeCauses({ isWhole, total, causeCount, causes }: Failures): Sentence {
  const count = `${isWhole ? '' : 'At least '}${formatCount(total, 'failure')}`;
  const [first] = causes;
  if (!first) return [`${count}.`];
  // The sentence has a full stop of its own.
  const quote = first.text.replace(/\.$/, '');
  const quotation = { quote, to: first.to };
  const files = first.files > 1 ? `, in ${first.files} files` : '';
  if (total === 1) return [`${count}: `, quotation, '.'];
  if (causeCount === 1) return [`${count}, 1 cause: `, quotation, `${files}.`];
  const head = causeCount === undefined ? count : `${count}, ${causeCount} causes`;
  if (first.tests === 1) return [`${head}, the first: `, quotation, '.'];
  return [`${head}: ${first.tests} times `, quotation, `${files}.`];
}

interface TestFacts {
  /** `undefined` if no attempt has an error. */
  readonly cause: string | undefined;
  /** Whether the last attempt passed. */
  readonly isFlaky: boolean;
  readonly attempts: number;
  readonly failedAttempts: number;
  /** Further errors of the shown attempt. */
  readonly furtherErrors: number;
}

/** The answer to a single test. It uses nothing but the test, so it may also be shown to outsiders. */
export function writeTestAnswer({ cause, isFlaky, attempts, failedAttempts, furtherErrors }: TestFacts): Sentence[] {
  if (failedAttempts === 0) return [];
  const count = isFlaky ? `Passed on a retry, after ${formatCount(failedAttempts, 'failure')}` : '1 failure';
  const sentences: Sentence[] = [cause === undefined ? [`${count}.`] : [`${count}: `, { quote: cause }, '.']];
  if (furtherErrors > 0) sentences.push([`The test has ${formatCount(furtherErrors, 'more error')}.`]);
  if (attempts > 1 && !isFlaky) {
    const subject = attempts === 2 ? 'Both' : `All ${attempts}`;
    sentences.push([
      failedAttempts === attempts ? `${subject} attempts failed.` : `${failedAttempts} of ${attempts} attempts failed.`,
    ]);
  }
  return sentences;
}

type Section = RunComparison['sections'][number];

const findSection = ({ sections }: RunComparison, verdict: Verdict): Section | undefined =>
  sections.find((section) => section.verdict === verdict && section.total > 0);

/** A cause of a single test leads to the test. */
function findTarget({ verdict, tests }: Section, cause: FailureCause): AnswerTarget {
  const test = tests.find((one) => one.cause === cause.id);
  return cause.tests === 1 && test ? { kind: 'test', test } : { kind: 'cause', verdict, cause: cause.id };
}

/** Whoever reads that the failures are gone need not read on. */
function writeRepair(facts: AnswerFacts): Sentence[] {
  const section = findSection(facts.comparison, 'new');
  const pass = section && findPassAgain(section, facts);
  if (!pass) return [];
  return [
    [
      `Probably repaired: the new ${section.total === 1 ? 'failure' : 'failures'} passed again in `,
      { words: 'the next run', to: { kind: 'run', runId: pass.runId } },
      ' on ',
      { quote: pass.commit.branch ?? '' },
      '.',
    ],
  ];
}

function writeNew(
  comparison: RunComparison,
  { total, isBaseNewer }: { readonly total: number; readonly isBaseNewer: boolean },
): Sentence[] {
  const { base, baseBranch } = comparison;
  if (!base)
    return [
      [
        'Which are new is not known, because ',
        { quote: baseBranch },
        ' has no earlier complete run with the same groups.',
      ],
    ];
  const section = findSection(comparison, 'new');
  if (!section) return [];
  const words = section.total === total ? formatAll(total) : `${section.total} of them`;
  const to: AnswerTarget = { kind: 'section', verdict: 'new' };
  const commit: AnswerPart[] = base.sha === null ? [] : [' of ', { quote: base.sha.slice(0, 7) }];
  const baseRun: AnswerTarget = { kind: 'run', runId: base.runId };
  const place: AnswerPart[] = [...commit, ' on ', { quote: base.branch ?? baseBranch }, '.'];
  const isOne = section.total === 1;
  if (isBaseNewer)
    return [
      [
        { words: `${words} ${isOne ? 'fails' : 'fail'} here`, to },
        ', but not in ',
        { words: 'the newer run', to: baseRun },
        ...place,
      ],
    ];
  return [
    [{ words: `${words} ${isOne ? 'is' : 'are'} new`, to }, ' since ', { words: 'the run', to: baseRun }, ...place],
  ];
}

/** "It" and "Both" begin a sentence after the number of failures. */
function formatAll(total: number): string {
  if (total === 1) return 'It';
  return total === 2 ? 'Both' : 'All';
}

/** `undefined` unless every new failure passed again. Tests that did not run again do not count. */
function findPassAgain({ tests, total }: Section, { nextOf }: Pick<AnswerFacts, 'nextOf'>): ShownExecution | undefined {
  if (!nextOf) return undefined;
  const executions = tests.flatMap((test) => nextOf(test) ?? []);
  const isWhole = tests.length === total && executions.every(({ status }) => status === 'passed');
  return isWhole ? executions[0] : undefined;
}

function writeOld(comparison: RunComparison, isBaseNewer: boolean): Sentence[] {
  const section = findSection(comparison, 'still_failing');
  if (!section) return [];
  const to: AnswerTarget = { kind: 'section', verdict: 'still_failing' };
  const isOne = section.total === 1;
  const state = isBaseNewer ? `${isOne ? 'fails' : 'fail'} in both runs` : `${isOne ? 'is' : 'are'} still failing`;
  const words = `${section.total} ${state}`;
  const origins = section.tests.flatMap(({ failingSince }) => failingSince ?? []);
  const first = origins.toSorted((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))[0];
  if (!first) return [[{ words, to }, '.']];
  const areAlike = section.tests.length === section.total && origins.every(({ runId }) => runId === first.runId);
  const commit: AnswerPart =
    first.sha === null ? 'this run' : { quote: first.sha.slice(0, 7), to: { kind: 'test', test: first } };
  const author: AnswerPart[] = first.authorName === null ? [] : [' by ', { quote: first.authorName }];
  const runs = `${first.mayBeEarlier ? ', or earlier' : ''}, ${formatCount(first.failures, 'run')}`;
  return [[{ words, to }, areAlike ? ', since ' : ', the first since ', commit, ...author, `${runs}.`]];
}

function writeFlaky(comparison: RunComparison): Sentence[] {
  const newTests = ['new', 'failed'].flatMap(
    (verdict) => comparison.sections.find((one) => one.verdict === verdict)?.tests ?? [],
  );
  const flakyTests = newTests.filter(({ knownFlaky }) => knownFlaky);
  const [first] = flakyTests;
  const flakySection = findSection(comparison, 'flaky');
  const sentences: Sentence[] = [];
  if (first?.knownFlaky) {
    const to: AnswerTarget = { kind: 'test', test: first };
    const name = { quote: first.title.at(-1) ?? '', to };
    sentences.push(
      flakyTests.length === 1
        ? [name, ` is known to be flaky: ${describeKnownFlaky(first.knownFlaky)}.`]
        : [`${flakyTests.length} are known to be flaky, such as `, name, '.'],
    );
  }
  if (flakySection)
    sentences.push([
      {
        words: `${formatCount(flakySection.total, 'more test')} passed only on a retry`,
        to: { kind: 'section', verdict: 'flaky' },
      },
      '.',
    ]);
  return sentences;
}

function writeFixed(comparison: RunComparison, isBaseNewer: boolean): Sentence[] {
  const section = findSection(comparison, 'fixed');
  if (!section) return [];
  const then = isBaseNewer ? 'failed in the newer run' : 'failed before';
  const words = `${formatCount(section.total, 'test')} that ${then} passed${isBaseNewer ? ' here' : ''}`;
  return [[{ words, to: { kind: 'section', verdict: 'fixed' } }, '.']];
}

function writeProblems(count: number): Sentence[] {
  if (count === 0) return [];
  return [[`${formatCount(count, 'problem')} outside the tests ${count === 1 ? 'fails' : 'fail'} the run, too.`]];
}

/** What to do next. Only the first rule that fits. */
function writeAdvice(facts: AnswerFacts): Sentence[] {
  const { comparison, isBaseNewer } = facts;
  const section = findSection(comparison, 'new') ?? findSection(comparison, 'failed');
  if (!section && isBaseNewer) return [];
  if (!section) return [['None is new, so this change did not cause them.']];
  if (section.verdict === 'new' && findPassAgain(section, facts)) return [];
  const [anyTest] = section.tests;
  if (!anyTest) return [];
  const areFlaky = section.tests.length === section.total && section.tests.every(({ knownFlaky }) => knownFlaky);
  if (areFlaky)
    return [
      [
        'Probably not caused by this change: run it again, or ',
        { words: 'quarantine it', to: { kind: 'quarantine', test: anyTest } },
        '.',
      ],
    ];
  // If more tests failed than are known here, the first one may be among the others.
  const first = section.tests.find(({ knownFlaky }) => !knownFlaky);
  if (!first) return [];
  const reason = section.tests.some(({ knownFlaky }) => knownFlaky) ? ', which is not known to be flaky' : '';
  return [['Begin with ', { quote: first.title.at(-1) ?? '', to: { kind: 'test', test: first } }, `${reason}.`]];
}

/** The answer as plain text. */
export const formatSentence = (sentence: Sentence): string =>
  sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'words' in part ? part.words : part.quote;
    })
    .join('');
