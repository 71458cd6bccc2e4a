/**
 * Replaces people in what an organization has recorded. The work is a list of steps, each of which handles a page at a
 * time and says where it continues. The position is stored after each page, so the work may be interrupted after any
 * write and is then repeated from the last page. Every step is idempotent. The second pass replaces what was being
 * written while the first one ran.
 */
import { processDueRows, type Sweep, type Time } from '#shared/engine/table/sweep.ts';
import { type Changes, toAssignments } from '#shared/engine/table/update.ts';
import { put, remove, update } from '#shared/engine/table/writes.ts';
import { type DueErasure, dueErasures } from '#shared/model/due.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type Erasure, erasures, type Search } from '#shared/model/organizations/erasure.ts';
import { getProjectsSpan, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { CoreServices } from '#shared/services.ts';
import { eraseOwnAccount } from './erase-account.ts';
import { eraseCompanyPerson } from './erase-company-person.ts';
import { eraseAuditRecords, eraseInvitation, eraseUnsentEvents } from './erase-organization.ts';
import { eraseDeliveries, eraseRules, eraseTerms, forgetTimesOfAuthors } from './erase-project.ts';
import { erasePendingRuns, eraseSummaries } from './erase-read-model.ts';
import { eraseRun } from './erase-run.ts';
import { ERASURE_LIMITS } from './limits.ts';
import { SearchedPerson } from './searched-person.ts';

export function erasePeople(services: CoreServices, time: Time): Promise<Sweep> {
  return processDueRows(services, time, dueErasures, async (due) => {
    await continueErasure(services, due, time);
  });
}

/**
 * Continues until the pass is done or the time is up. Returns the erasure as it is then. Concurrent calls do the same
 * work twice and harm nothing.
 */
export async function continueErasure(
  services: CoreServices,
  due: DueErasure,
  time: Time,
): Promise<Erasure | undefined> {
  const { table, now } = services;
  const erasure = await table.get(erasures, due, { consistent: true });
  if (!erasure?.search) {
    await table.writeMany([remove(dueErasures, due)]);
    return erasure;
  }
  const work = new ErasureWork(services, erasure, erasure.search);
  if (!(await work.run(time))) return table.get(erasures, due, { consistent: true });
  const pass = (erasure.pass ?? 0) + 1;
  const isDone = pass >= ERASURE_LIMITS.passes;
  const { left, foundRuns } = work;
  const counts = { left, ...((erasure.pass ?? 0) === 0 ? { runs: foundRuns } : {}) };
  const changes: Changes = isDone
    ? { set: toAssignments({ ...counts, doneAt: now() }), remove: ['search', 'pass', 'position'] }
    : { set: toAssignments({ ...counts, pass }), remove: ['position'] };
  const isSamePass = { path: 'pass', equals: erasure.pass ?? 0 } as const;
  const next = { ...due, dueAt: now() + ERASURE_LIMITS.passPauseMilliseconds };
  await table.transact([
    update(erasures, erasure, changes, isSamePass),
    remove(dueErasures, due),
    ...(isDone ? [] : [put(dueErasures, next)]),
  ]);
  return table.get(erasures, due, { consistent: true });
}

/** Where a pass continues. `step` is an index of `STEPS`. */
interface Position {
  readonly step: number;
  /** The project whose rows are replaced, if the step is one of projects. Sorts by id. */
  readonly projectId?: string | undefined;
  readonly after?: string | undefined;
  readonly runs: number;
  readonly left: number;
}

/** Handles a page, and returns where the next one begins. */
type StepOfOrganization = (work: ErasureWork, after: string | undefined) => Promise<string | undefined>;
type StepOfProject = (work: ErasureWork, project: ProjectKey, after: string | undefined) => Promise<string | undefined>;

type Step =
  | { readonly of: 'organization'; readonly page: StepOfOrganization }
  | { readonly of: 'project'; readonly page: StepOfProject };

/** Names of the person are found in their runs. What is found by a name comes after the runs. */
const STEPS: readonly Step[] = [
  { of: 'organization', page: ({ services, person }) => eraseInvitation(services, person) },
  { of: 'organization', page: ({ services, person }) => eraseOwnAccount(services, person) },
  { of: 'organization', page: ({ services, person }) => eraseCompanyPerson(services, person) },
  { of: 'project', page: ({ services, person }, ...at) => erasePendingRuns(services, person, ...at) },
  { of: 'project', page: (work, ...at) => work.eraseRuns(...at) },
  { of: 'project', page: ({ services, person }, ...at) => eraseSummaries(services, person, ...at) },
  { of: 'project', page: ({ services, person }, project) => eraseTerms(services, person, project) },
  { of: 'project', page: ({ services, person }, project) => eraseRules(services, person, project) },
  { of: 'project', page: ({ services, person }, ...at) => eraseDeliveries(services, person, ...at) },
  { of: 'organization', page: ({ services, person }) => eraseUnsentEvents(services, person) },
  { of: 'organization', page: ({ services, person }, after) => eraseAuditRecords(services, person, after) },
];

class ErasureWork {
  readonly services: CoreServices;
  readonly person: SearchedPerson;
  readonly #erasure: Erasure;
  foundRuns: number;
  left: number;

  constructor(services: CoreServices, erasure: Erasure, search: Search) {
    this.services = services;
    this.person = new SearchedPerson(erasure, search);
    this.#erasure = erasure;
    const { runs: foundRuns, left } = this.#readPosition();
    this.foundRuns = foundRuns;
    this.left = left;
  }

  /** Returns whether the pass is complete. */
  async run(time: Time): Promise<boolean> {
    let at: Position | undefined = this.#readPosition();
    while (at !== undefined) {
      if (time.remainingMilliseconds() < ERASURE_LIMITS.marginMilliseconds) return false;
      at = await this.#continueFrom(at);
      if (at !== undefined) await this.#store(at);
    }
    return true;
  }

  async eraseRuns(project: ProjectKey, after: string | undefined): Promise<string | undefined> {
    const { table } = this.services;
    if (after === undefined) await forgetTimesOfAuthors(this.services, project);
    const options = { limit: ERASURE_LIMITS.runsPerPage, consistent: true, after };
    const { rows, lastRead } = await table.query(runsOfProject, getRunsSpan(project), options);
    const stored = await table.getMany(
      runs,
      rows.map(({ item }) => item),
      { consistent: true },
    );
    for (const run of stored) {
      if (!run || !this.#isOfPerson(run)) continue;
      const { left } = await eraseRun(this.services, this.person, run);
      this.foundRuns += 1;
      this.left += left;
    }
    return lastRead;
  }

  /** Also by the pseudonym, because an interrupted call may have replaced only the row of the run. */
  #isOfPerson({ commit }: Run): boolean {
    return this.person.isAuthor(commit) || this.person.isPseudonym(commit);
  }

  #readPosition(): Position {
    const { position } = this.#erasure;
    return position === undefined ? { step: 0, runs: 0, left: 0 } : JSON.parse(position);
  }

  async #store(position: Position): Promise<void> {
    const { runs: _, left: __, ...place } = position;
    const text = JSON.stringify({ ...place, runs: this.foundRuns, left: this.left });
    const isSamePass = { path: 'pass', equals: this.#erasure.pass ?? 0 } as const;
    await this.services.table.update(erasures, this.#erasure, { set: [['position', text]] }, isSamePass);
  }

  /** Handles one page. Returns `undefined` after the last one of the pass. */
  async #continueFrom(at: Position): Promise<Position | undefined> {
    const step = STEPS[at.step];
    if (!step) return undefined;
    const next = { ...at, step: at.step + 1, projectId: undefined, after: undefined };
    if (step.of === 'organization') {
      const after = await step.page(this, at.after);
      return after === undefined ? next : { ...at, after };
    }
    const projectId = await this.#findProject(at);
    if (projectId === undefined) return next;
    const { organizationId } = this.#erasure;
    const after = await step.page(this, { organizationId, projectId }, at.after);
    // An empty position means that the next project begins.
    return after === undefined ? { ...at, projectId: `${projectId}${NEXT}`, after } : { ...at, projectId, after };
  }

  /** The first project that is not before the position. Includes deleted projects, as long as they have rows. */
  async #findProject({ projectId = '' }: Position): Promise<string | undefined> {
    const { organizationId } = this.#erasure;
    const all = await this.services.table.queryAll(projectsOfOrganization, getProjectsSpan({ organizationId }), {
      consistent: true,
    });
    return all
      .map((project) => project.projectId)
      .sort()
      .find((id) => id >= projectId);
  }
}

/** Sorts after a project id, and before any other one. */
const NEXT = '\u0000';
