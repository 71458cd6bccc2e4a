/**
 * Extends the times of terms before executions are written to the history. So a reader of the history that filters by
 * branch or author needs no rows outside these times (`results/executions/recorded-times.ts`), however late a result
 * arrives, and whatever happens to its run. The end of a run finds its terms up to date, so this costs no further write.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import type { TimeRange } from '#shared/model/results/recent-facts.ts';
import { knownTerms } from '#shared/model/runs/known-terms.ts';
import {
  computeTermExpiry,
  isTermValue,
  type Term,
  type TermKey,
  type TermType,
  terms,
} from '#shared/model/runs/term.ts';
import type { Services } from '#shared/services.ts';
import { INGEST_LIMITS } from './limits.ts';

type Occurrence = Pick<
  HistoryRow,
  'organizationId' | 'projectId' | 'branch' | 'authorName' | 'authorEmail' | 'recordedAt'
>;

type WithRecent = Pick<Services, 'table' | 'now' | 'recent'>;

/**
 * Extends the time range of each term to these executions. A repetition changes nothing, and usually only looks into the
 * memory of the container, which knows the ranges that it has seen last.
 */
export async function extendTerms(services: WithRecent, executions: readonly Occurrence[]): Promise<void> {
  const { table, now, recent } = services;
  const uses = listUses(executions).filter(({ term, range }) => {
    const times = recent.terms.recall(formatKey(term), now());
    return times === undefined || !includes(times, range);
  });
  const [first] = uses;
  if (!first) return;
  const keys = uses.map(({ term }) => term);
  const [oldTerms] = await Promise.all([table.getMany(terms, keys), noteKnownTerms(services, first.term)]);
  await mapConcurrently([...uses.entries()], async ([place, use]) => {
    recent.terms.keep(formatKey(use.term), await extendTerm(services, use, oldTerms[place]), now());
  });
}

interface Use {
  readonly term: TermKey;
  readonly range: TimeRange;
}

const includes = ([from, until]: TimeRange, [first, end]: TimeRange): boolean => from <= first && end <= until;

const formatKey = (term: TermKey): string => Object.values(terms.key(term)).join(' ');

function listUses(executions: readonly Occurrence[]): Use[] {
  const uses = new Map<string, Use>();
  for (const execution of executions)
    for (const term of listTermKeys(execution)) {
      const { recordedAt } = execution;
      const key = formatKey(term);
      const [from, until] = uses.get(key)?.range ?? [recordedAt, recordedAt];
      uses.set(key, { term, range: [Math.min(from, recordedAt), Math.max(until, recordedAt + 1)] });
    }
  return [...uses.values()];
}

/** A filter also matches a branch whose normal form it names. */
function listTermKeys({ organizationId, projectId, branch, authorName, authorEmail }: Occurrence): TermKey[] {
  const values: readonly (readonly [TermType, string | null])[] = [
    ['branch', branch],
    ['branch', branch?.normalize('NFC') ?? null],
    ['authorName', authorName],
    ['authorEmail', authorEmail],
  ];
  return values.flatMap(([termType, value]) =>
    isTermValue(value) ? [{ organizationId, projectId, termType, value }] : [],
  );
}

/** Returns the times that the term then has. `firstTerm` is what was stored a moment ago. */
function extendTerm({ table }: WithRecent, { term, range }: Use, firstTerm: Term | undefined): Promise<TimeRange> {
  return retryOptimistically('times of a branch or author', async (round) => {
    const oldTerm = round === 0 ? firstTerm : await table.get(terms, term, { consistent: true });
    const times: TimeRange = [oldTerm?.recordedFrom ?? Number.POSITIVE_INFINITY, oldTerm?.recordedUntil ?? 0];
    if (includes(times, range)) return times;
    const extension = extend(oldTerm, times, range);
    const { done } = oldTerm
      ? await table.update(
          terms,
          term,
          { set: Object.entries(extension) },
          expectSameValues(oldTerm, 'recordedFrom', 'recordedUntil', 'lastUsedAt'),
        )
      : await table.put(terms, { ...term, ...extension }, ABSENT);
    return done ? ([extension.recordedFrom, extension.recordedUntil] as const) : AGAIN;
  });
}

/** Without `recordedFrom`, the term is from an older version of Rundown, which did not store the times. */
function extend(oldTerm: Term | undefined, [from, until]: TimeRange, [first, end]: TimeRange) {
  const recordedFrom = oldTerm && oldTerm.recordedFrom === undefined ? 0 : Math.min(from, first);
  const recordedUntil = Math.max(until, end + MODEL_LIMITS.terms.stepMilliseconds);
  const lastUsedAt = Math.max(oldTerm?.lastUsedAt ?? 0, end - 1);
  const expiresAt = computeTermExpiry(Math.max(recordedUntil, lastUsedAt));
  return { recordedFrom, recordedUntil, lastUsedAt, expiresAt };
}

/** While this version of Rundown is deployed, the version before it still records executions. */
async function noteKnownTerms({ table, now, recent }: WithRecent, { organizationId, projectId }: TermKey) {
  const project = { organizationId, projectId };
  const key = Object.values(knownTerms.key(project)).join(' ');
  if (recent.terms.recall(key, now())) return;
  const since = now() + INGEST_LIMITS.deploymentMilliseconds;
  const isKnown = (await table.get(knownTerms, project)) !== undefined;
  if (!isKnown) await table.put(knownTerms, { ...project, branchesSince: since, authorsSince: since }, ABSENT);
  recent.terms.keep(key, [since, since], now());
}
