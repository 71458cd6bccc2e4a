/** Imports a report that is in the request. The queue records reports that are too large for the time of a request. */
import { notFound } from '#shared/engine/errors.ts';
import { releaseRun } from '#shared/lifecycle/hold-run.ts';
import { runIdOf } from '#shared/model/ids.ts';
import { type Import, type ImportOptions, importKey, imports } from '#shared/model/import.ts';
import { projects } from '#shared/model/project.ts';
import { runs } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import { importIdOf, newImport, plannedFacts, progressOf, requestKeyOf } from './import-row.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { type Plan, planImport } from './plan-import.ts';
import type { ShownImport } from './present-import.ts';
import { recordPlan } from './record-plan.ts';
import { isSmall } from './size.ts';
import { contentOf, sourceOf } from './sources.ts';

export interface NewImport {
  readonly organizationId: string;
  readonly projectId: string;
  readonly options: ImportOptions;
  readonly dryRun: boolean;
  readonly file: Uint8Array;
}

export async function startImport(services: Services, asked: NewImport): Promise<ShownImport> {
  const { file, dryRun, options } = asked;
  if (file.length === 0 && options.complete && options.ciBuildId)
    return completeBuild(services, asked, options.ciBuildId);
  if (!dryRun && !isSmall(file)) {
    await findProject(services, asked);
    return queueImport(services, asked);
  }
  const plan = await planImport(sourceOf(file), options, services.now());
  await findProject(services, asked);
  const sent = { ...asked, content: contentOf(file) };
  const progress = progressOf(plan, 0);
  if (dryRun) return { ...unstored(services, sent), ...plannedFacts(sent, plan), progress, state: 'read' };
  if (!isQuick(plan)) return queueImport(services, asked, { ...plannedFacts(sent, plan), progress });
  return recordNow(services, sent, plan);
}

const isQuick = ({ tests, attachments }: Plan): boolean =>
  tests <= IMPORT_LIMITS.testsAtOnce && attachments.length <= IMPORT_LIMITS.attachmentsAtOnce;

/** One row is written, after the results. A killed request leaves no import, and its repetition records all again. */
async function recordNow(services: Services, sent: NewImport & { readonly content: string }, plan: Plan) {
  const facts = plannedFacts(sent, plan);
  const { ciBuildId } = facts;
  const recording = { ...sent, plan, ciBuildId, requestKey: requestKeyOf(sent) };
  await recordPlan(services, recording, { recorded: 0, onStep: async () => {} });
  const progress = progressOf(plan, plan.instances.length);
  return store(services, sent, { ...facts, progress, state: 'recorded' });
}

/** The row is written first. The file then announces itself to the queue. */
async function queueImport(services: Services, asked: NewImport, known: Partial<Import> = {}): Promise<Import> {
  const sent = { ...asked, content: contentOf(asked.file) };
  const { content, ...facts } = known;
  const row = await store(services, sent, { ...facts, state: 'waiting' });
  await services.artifacts.put(importKey(row), asked.file, 'application/octet-stream');
  return row;
}

type Sent = NewImport & { readonly content: string };

const unstored = ({ now }: Services, sent: Sent): Import => {
  const { organizationId, projectId, options } = sent;
  const importId = importIdOf(sent);
  return newImport({ organizationId, projectId, importId, options, state: 'waiting', createdAt: now() });
};

/** A repeated import keeps the time of the first. */
async function store(services: Services, sent: Sent, more: Partial<Import>): Promise<Import> {
  const fresh = unstored(services, sent);
  const known = await services.table.get(imports, fresh, { consistent: true });
  const row = { ...fresh, ...more, createdAt: known?.createdAt ?? fresh.createdAt };
  await services.table.put(imports, row, { any: [{ absent: 'pk' }, { present: 'pk' }] });
  return row;
}

/** An empty request with `complete=true` ends the run of the build. */
async function completeBuild(services: Services, asked: NewImport, ciBuildId: string): Promise<Import> {
  await findProject(services, asked);
  const { organizationId, projectId } = asked;
  const key = { organizationId, runId: runIdOf({ organizationId, projectId, ciBuildId }) };
  if (!(await services.table.get(runs, key, { consistent: true }))) throw notFound('Run');
  await releaseRun(services, key);
  return store(
    services,
    { ...asked, content: contentOf(asked.file) },
    { runId: key.runId, ciBuildId, state: 'recorded' },
  );
}

export async function findProject(
  { table }: Pick<Services, 'table'>,
  { organizationId, projectId }: Pick<NewImport, 'organizationId' | 'projectId'>,
): Promise<void> {
  if (!(await table.get(projects, { organizationId, projectId }))) throw notFound('Project');
}
