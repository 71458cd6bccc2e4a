/** Reads the flips of a project from the facts of runs that repeated a commit. Nothing is stored for them. */
import { signatureOf } from '#shared/model/ids.ts';
import type { CoreServices } from '#shared/services.ts';
import { collectEntries, untilComplete } from '../collect.ts';
import type { PendingEntry } from '../entry.ts';
import { readFacts } from '../facts-reader.ts';
import { withNamesOfTests } from '../named.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from '../read-model.ts';
import type { StoredSums } from '../sums.ts';
import { testSums, totalsOf } from '../totals.ts';
import { type Flips, flipsOf, type RunOfCommit } from './flips.ts';
import { FLAKY_LIMITS } from './limits.ts';

/** Finds runs that repeated a commit with different results, among all groups of ended runs. */
interface RepeatedCommits {
  /** Groups of runs to compare with each other. */
  readonly commits: readonly (readonly PendingEntry[])[];
  /** Whether all commits are included. The limit may leave some out. */
  readonly isWhole: boolean;
}

/**
 * Groups the entries by commit, newest commits first. Leaves out commits whose runs have no failure, or no pass,
 * because they cannot have a flip.
 */
function repeatedCommits(entries: readonly PendingEntry[]): RepeatedCommits {
  const known = entries.filter(({ sha }) => sha !== null);
  const byCommit = Map.groupBy(known, ({ sha, groupId, environment }) => JSON.stringify([sha, groupId, environment]));
  const candidates = [...byCommit.values()].filter(
    (own) =>
      own.length > 1 &&
      own.some(({ counters }) => counters.failures > 0) &&
      own.some(({ counters }) => counters.passes > 0),
  );
  const newest = candidates.sort((one, other) => newestOf(other) - newestOf(one));
  const commits: PendingEntry[][] = [];
  let room: number = FLAKY_LIMITS.comparedGroups;
  for (const own of newest) {
    if (own.length > room) break;
    commits.push(own);
    room -= own.length;
  }
  return { commits, isWhole: commits.length === newest.length };
}

const newestOf = (entries: readonly PendingEntry[]): number => Math.max(...entries.map(({ createdAt }) => createdAt));

type WithTable = Pick<CoreServices, 'table'>;

export interface FlipsOfProject {
  /** The flips by the signature of the test. A test has one entry for each commit with a flip. */
  readonly bySignature: ReadonlyMap<string, readonly Flips[]>;
  readonly isWhole: boolean;
}

export async function readFlips(
  services: WithTable,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
): Promise<FlipsOfProject> {
  const entries = await untilComplete(() => collectEntries(services, { scope, period, filter }));
  const { commits, isWhole } = repeatedCommits(entries);
  if (commits.length === 0) return { bySignature: new Map(), isWhole };
  const facts = readFacts<StoredSums>(services, scope, commits.flat(), 'tests');
  return withNamesOfTests(services, scope, facts, (found, { series, specFile }) => {
    const runOf = new Map(commits.flat().map((entry, index) => [entry, runOfCommit(entry, found[index])]));
    const flips = commits.map((own) => flipsOf(own.flatMap((entry) => runOf.get(entry) ?? [])));
    const signatureIn = (number: number): string => {
      const [spec, title] = series(number);
      return signatureOf({ ...scope, spec: specFile(spec), title });
    };
    const all = flips.flatMap((own) => [...own].map(([number, one]) => ({ signature: signatureIn(number), one })));
    const bySignature = Map.groupBy(all, ({ signature }) => signature);
    return {
      bySignature: new Map([...bySignature].map(([signature, own]) => [signature, own.map(({ one }) => one)])),
      isWhole,
    };
  });
}

function runOfCommit({ createdAt }: PendingEntry, facts: StoredSums | undefined): RunOfCommit<number> | undefined {
  if (!facts) return undefined;
  const sums = testSums();
  sums.add(facts);
  const rows = sums.rows().map(({ number, sums: fields }) => ({ number, ...totalsOf(fields).executions }));
  const passed = new Set(rows.filter((row) => row.passed > 0).map(({ number }) => number));
  const failed = rows.filter((row) => row.failed > 0 && row.passed === 0).map(({ number }) => number);
  return { createdAt, passed, failed: new Set(failed) };
}
