/** Sample rules, which match no test. */
import type { Tenant } from '#test/harness/service.ts';
import type { Need, Sample, World } from './sample-shapes.ts';

const QUARANTINE = {
  name: 'Flaky on Fridays',
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'no test has this title' }] },
};

/** Creates a rule, and another rule for the delete operation. Creates only the rules that are needed. */
export async function sampleActions({ api, projectId }: Tenant, isNeeded: (need: Need) => boolean) {
  const make = async (need: Need): Promise<string> =>
    isNeeded(need) ? (await api.post(`/actions?projectId=${projectId}`, QUARANTINE)).body.data.actionId : '';
  return { actionId: await make('actionId'), doomedActionId: await make('doomedActionId') };
}

const RANGE = 'date_start=2026-11-01&date_end=2026-11-30';
const ofProject = ({ projectId }: World): string => `projectId=${encodeURIComponent(projectId)}`;

export const ACTION_SAMPLES: Readonly<Record<string, Sample>> = {
  listActions: { ids: ['projectId'], query: ofProject, bad: { query: '' } },
  createAction: {
    ids: ['projectId'],
    query: ofProject,
    body: () => ({ ...QUARANTINE, description: 'See the ticket', expiresAfter: '2199-01-01T00:00:00Z' }),
    bad: { body: { name: 'Nothing' } },
  },
  getAction: { ids: ['actionId'] },
  updateAction: { ids: ['actionId'], body: () => ({ name: 'Flaky' }), bad: { body: {} } },
  enableAction: { ids: ['actionId'] },
  disableAction: { ids: ['actionId'] },
  deleteAction: { ids: ['doomedActionId'], at: { actionId: 'doomedActionId' } },
  listAffectedTests: {
    ids: ['projectId'],
    query: (world) => `${ofProject(world)}&${RANGE}`,
    bad: { query: `projectId=zzzzzz&${RANGE}&action_type=retry` },
  },
  listAffectedExecutions: {
    ids: ['projectId'],
    needs: ['signature'],
    query: (world) => `${ofProject(world)}&${RANGE}`,
    bad: { query: `projectId=zzzzzz&${RANGE}&limit=51` },
  },
  listExecutionsOfAction: { ids: ['actionId'], query: () => RANGE, bad: { query: `${RANGE}&limit=51` } },
  getRules: { ids: ['projectId'] },
};
