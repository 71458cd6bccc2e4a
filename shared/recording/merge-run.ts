/** Adds the tags and environments of further machines to a run. Concurrent changes are merged. */

import { keepFirstTexts } from '#shared/engine/byte-budget.ts';
import { updateOptimistically } from '#shared/engine/table/optimistic.ts';
import { expectValue } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { runExpired } from '#shared/lifecycle/errors.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CiJob } from '#shared/model/runs/ci-job.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';
import type { RunRequest } from './run-request.ts';

const MERGED = ['tags', 'groupTags', 'environments'] as const;
type MergedAttributes = Pick<Run, (typeof MERGED)[number]>;

const { runTags, runGroupTags, runEnvironments } = MODEL_LIMITS.rowBytes;
const BYTES = { tags: runTags, groupTags: runGroupTags, environments: runEnvironments } as const;

export const fitIntoRun = (name: keyof MergedAttributes, texts: readonly string[]): string[] =>
  keepFirstTexts(texts.slice(0, RECORDING_LIMITS.tagsPerRun), BYTES[name]);

export const collectTags = ({ tags, suite }: RunRequest): MergedAttributes => ({
  tags,
  groupTags: suite.flatMap((group) => group.tags),
  environments: suite.flatMap(({ environment }) => environment ?? []),
});

/** Throws 422 if the run was deleted meanwhile, as for a build whose run was deleted before. */
export async function mergeIntoRun({ table }: Services, run: Run, addition: MergedAttributes): Promise<void> {
  const mergedRun = await updateOptimistically({ table, entity: runs, what: 'tags of a run' }, run, (storedRun) => {
    const set = MERGED.map((name) => [name, fitIntoRun(name, mergeTags(storedRun[name], addition[name]))] as const);
    if (set.every(([name, all]) => all.length === storedRun[name].length)) return undefined;
    return { changes: { set }, when: { all: MERGED.map((name) => ({ path: name, equals: storedRun[name] })) } };
  });
  if (!mergedRun) throw runExpired();
}

/** Adds the name and the address of a CI job, as far as they are new and there is room. */
export async function addJob({ table }: Services, run: Run, { name, url }: CiJob): Promise<void> {
  await updateOptimistically({ table, entity: runs, what: 'jobs of a run' }, run, ({ jobs, ciPages }) => {
    const set: [attribute: string, texts: readonly string[]][] = [];
    if (isNewText(name, jobs, MODEL_LIMITS.jobsOfRun)) set.push(['jobs', [...(jobs ?? []), name]]);
    if (isNewText(url, ciPages, MODEL_LIMITS.ciPagesOfRun)) set.push(['ciPages', [...(ciPages ?? []), url]]);
    if (set.length === 0) return undefined;
    return { changes: { set }, when: { all: [PRESENT, expectValue('jobs', jobs), expectValue('ciPages', ciPages)] } };
  });
}

/** Whether the text is not stored yet, and there is room for it. */
const isNewText = (text: string | undefined, storedTexts: readonly string[] = [], most: number): text is string =>
  text !== undefined && !storedTexts.includes(text) && storedTexts.length < most;
