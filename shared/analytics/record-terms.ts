/** Records the tags, branches and other values of a run, so that filters can suggest them. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { isOfReporter } from '#shared/model/rules/rule-marks.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { computeTermExpiry, isTermValue, type Term, type TermType, terms } from '#shared/model/runs/term.ts';
import { ANALYTICS_LIMITS } from './limits.ts';

interface TermSource {
  readonly run: Run;
  readonly groups: readonly Pick<Group, 'groupId'>[];
  readonly tests: readonly Pick<RecordedTest, 'tags' | 'annotations'>[];
}

/**
 * Stores when the terms of a run were last used. A stored time is replaced only by one that is more than an hour later,
 * which saves writes, and lets calls be repeated and come in any order.
 */
export async function recordTerms({ table }: WithTable, source: TermSource): Promise<void> {
  const { organizationId, projectId, createdAt: lastUsedAt } = source.run;
  const times = { lastUsedAt, expiresAt: computeTermExpiry(lastUsedAt) };
  const usedTerms = listTermValues(source).flatMap(([termType, values]) =>
    [...new Set(values)]
      .filter(isTermValue)
      .slice(0, ANALYTICS_LIMITS.termsPerRun)
      .map((value): Term => ({ organizationId, projectId, termType, value, ...times })),
  );
  const storedTerms = await table.getMany(terms, usedTerms);
  const before = lastUsedAt - MODEL_LIMITS.terms.stepMilliseconds;
  const termsToUpdate = usedTerms.filter(
    (_, index) => (storedTerms[index]?.lastUsedAt ?? Number.NEGATIVE_INFINITY) < before,
  );
  await mapConcurrently(termsToUpdate, (term) =>
    table.update(
      terms,
      term,
      { set: Object.entries(term) },
      { any: [{ absent: 'lastUsedAt' }, { path: 'lastUsedAt', atMost: before - 1 }] },
    ),
  );
}

function listTermValues({
  run,
  groups,
  tests,
}: TermSource): readonly (readonly [TermType, readonly (string | null)[]])[] {
  const { commit, framework } = run;
  const annotations = tests.flatMap((test) => test.annotations).filter((annotation) => !isOfReporter(annotation));
  return [
    ['tag', [...run.tags, ...run.groupTags, ...tests.flatMap(({ tags }) => tags)]],
    ['group', groups.map(({ groupId }) => groupId)],
    ['branch', [commit.branch]],
    ['authorName', [commit.authorName]],
    ['authorEmail', [commit.authorEmail]],
    ['framework', [framework.type]],
    ['frameworkVersion', [framework.version]],
    ['clientVersion', [framework.clientVersion]],
    ['ann_type', annotations.map(({ type }) => type)],
    ['ann_desc', annotations.map(({ description }) => description)],
  ];
}
