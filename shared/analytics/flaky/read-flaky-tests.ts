/** Reads the tests that are flaky, suspected, recovered or broken, with the evidence for it. */
import { leafOf } from '#shared/model/analytics/pending.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { type AnalyticsScope, NO_FILTER, type Period, type SeriesTotals } from '../read-model.ts';
import { readSeries } from '../read-series.ts';
import type { Flips } from './flips.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { readFlips } from './read-flips.ts';
import { type FlakyEvidence, type FlakyState, flakyStateOf, scoreOf } from './state.ts';

const MILLISECONDS_A_DAY = 86_400_000;

export interface FlakyTest extends FlakyEvidence {
  readonly signature: string;
  readonly specFile: string;
  readonly title: readonly string[];
  readonly state: FlakyState;
  readonly score: number;
  /** Executions that passed and failed within a run. */
  readonly retried: number;
  readonly flips: number;
  readonly failures: number;
  /** `createdAt` of the newest run with a flip. */
  readonly lastFlipAt: number | null;
}

export interface FlakyTests {
  readonly tests: readonly FlakyTest[];
  /** Start of the window, in epoch milliseconds. */
  readonly from: number;
  /** Whether all commits that ran more than once were compared. */
  readonly isWhole: boolean;
}

/** The tests are in no particular order. */
export async function readFlakyTests(
  services: Pick<CoreServices, 'table' | 'now'>,
  { defaultBranch, ...scope }: AnalyticsScope & { readonly defaultBranch: string },
): Promise<FlakyTests> {
  const now = services.now();
  const window = lastDays(now, FLAKY_LIMITS.windowDays);
  const recent = lastDays(now, FLAKY_LIMITS.recoveryDays);
  const [all, latest, onDefault, { bySignature, isWhole }] = await Promise.all([
    readSeries(services, scope, window, NO_FILTER),
    readSeries(services, scope, recent, NO_FILTER),
    readSeries(services, scope, window, { ...NO_FILTER, branches: [defaultBranch] }),
    readFlips(services, scope, window, NO_FILTER),
  ]);
  const recentOf = totalsBySignature(latest);
  const defaultOf = totalsBySignature(onDefault);
  const tests = [...totalsBySignature(all)].flatMap(([signature, own]): FlakyTest[] => {
    const flips = bySignature.get(signature) ?? [];
    const now7 = recentOf.get(signature) ?? NONE;
    const ofDefault = defaultOf.get(signature) ?? NONE;
    const newFlips = flips.filter(({ lastAt }) => lastAt >= recent.from);
    const evidence: FlakyEvidence = {
      events: own.retried + sumOf(flips),
      executions: own.executions,
      recent: { events: now7.retried + sumOf(newFlips), executions: now7.executions },
      defaultBranch: { failures: ofDefault.failures, executions: ofDefault.executions },
    };
    const state = flakyStateOf(evidence);
    if (state === undefined) return [];
    const { title, specFile } = own.about;
    const lastFlipAt = flips.length > 0 ? Math.max(...flips.map(({ lastAt }) => lastAt)) : null;
    const found = { signature, specFile, title, state, score: scoreOf(evidence), lastFlipAt };
    return [{ ...evidence, ...found, retried: own.retried, flips: sumOf(flips), failures: own.failures }];
  });
  return { tests, from: window.from, isWhole };
}

/** The last `days` days, widened to begin with a whole leaf, because a summary costs less to read than single runs. */
const lastDays = (now: number, days: number): Period => ({
  from: leafOf(now - days * MILLISECONDS_A_DAY) * MODEL_LIMITS.leafMilliseconds,
  to: now + 1,
});

const sumOf = (flips: readonly Flips[]): number => flips.reduce((total, { count }) => total + count, 0);

interface Counted {
  readonly executions: number;
  readonly failures: number;
  readonly retried: number;
}

const NONE: Counted = { executions: 0, failures: 0, retried: 0 };

/** A test has several series if its tags or annotations changed. */
function totalsBySignature(series: readonly SeriesTotals[]): Map<string, Counted & { readonly about: SeriesTotals }> {
  const found = new Map<string, Counted & { readonly about: SeriesTotals }>();
  for (const about of series) {
    const { executions, flaky } = about.totals;
    const before = found.get(about.signature) ?? NONE;
    found.set(about.signature, {
      about,
      executions: before.executions + executions.passed + executions.failed,
      failures: before.failures + executions.failed,
      retried: before.retried + flaky.passed + flaky.failed,
    });
  }
  return found;
}
