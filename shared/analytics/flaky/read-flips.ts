/** Reads the flips of a project from the facts of runs that repeated a commit. Nothing is stored for them. */
import { signatureOf } from '#shared/model/ids.ts';
import type { CoreServices } from '#shared/services.ts';
import { collectEntries, untilComplete } from '../collect.ts';
import { currentEpoch } from '../editions.ts';
import type { Entry } from '../entry.ts';
import { readFacts } from '../facts-reader.ts';
import { readNames } from '../names.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from '../read-model.ts';
import type { SeriesName } from '../series.ts';
import type { StoredSums } from '../sums.ts';
import { testSums, totalsOf } from '../totals.ts';
import { type Flips, flipsOf, type RunOfCommit } from './flips.ts';
import { repeatedCommits } from './repeated-commits.ts';

type WithTable = Pick<CoreServices, 'table'>;

export interface FlipsOfProject {
  /** By signature. A test has one entry for each commit with a flip. */
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
  const epoch = await currentEpoch(services, scope);
  const facts = await readFacts<StoredSums>(services, { scope, epoch }, commits.flat(), 'T');
  const runOf = new Map(commits.flat().map((entry, index) => [entry, runOfCommit(entry, facts[index])]));
  const flips = commits.map((own) => flipsOf(own.flatMap((entry) => runOf.get(entry) ?? [])));
  const signatures = await signaturesOf(services, scope, epoch);
  const found = flips.flatMap((own) => [...own].map(([series, one]) => ({ signature: signatures(series), one })));
  const bySignature = Map.groupBy(found, ({ signature }) => signature);
  return {
    bySignature: new Map([...bySignature].map(([signature, own]) => [signature, own.map(({ one }) => one)])),
    isWhole,
  };
}

function runOfCommit({ createdAt }: Entry, facts: StoredSums | undefined): RunOfCommit<number> | undefined {
  if (!facts) return undefined;
  const sums = testSums();
  sums.add(facts);
  const rows = sums.rows().map(({ number, sums: fields }) => ({ number, ...totalsOf(fields).executions }));
  const passed = new Set(rows.filter((row) => row.passed > 0).map(({ number }) => number));
  const failed = rows.filter((row) => row.failed > 0 && row.passed === 0).map(({ number }) => number);
  return { createdAt, passed, failed: new Set(failed) };
}

async function signaturesOf(services: WithTable, scope: AnalyticsScope, epoch: number) {
  const [series, specs] = await Promise.all([
    readNames<SeriesName>(services, { ...scope, epoch, kind: 'TEST' }),
    readNames<string>(services, { ...scope, epoch, kind: 'SPEC' }),
  ]);
  return (number: number): string => {
    const [spec = -1, title = []] = series.get(number) ?? [];
    return signatureOf({ ...scope, spec: specs.get(spec) ?? '', title });
  };
}
