/** The connections to issue trackers in a settings file, without their tokens. */
import { checkedIntegration, removeIntegration, saveIntegration } from '#shared/issues/integrations.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { type Integration, integrations } from '#shared/model/organizations/integration.ts';
import type { Services } from '#shared/services.ts';
import { type GivenIntegration, type Placed, within } from './document.ts';
import {
  byHand,
  type Change,
  differing,
  type Fields,
  fieldChanges,
  matched,
  NOTHING,
  only,
  type Steps,
  type Tools,
} from './plan.ts';
import { unchanged } from './unchanged.ts';

export const integrationFields = ({ name, kind, apiUrl, account, projectIds }: Integration): Fields => ({
  name,
  kind,
  apiUrl,
  account: account ?? null,
  projects: projectIds ? [...projectIds] : 'all',
});

const CREATE = 'Connect it at "Settings, Integrations" of the organization: it needs a token';
const MOVE = 'Enter the new tracker or account together with its token at "Settings, Integrations" of the organization';

export function planIntegrations(
  all: readonly Integration[],
  placed: Placed<readonly GivenIntegration[]>,
  known: { readonly projectIds: readonly string[] } & Pick<Services, 'privateReceivers'>,
): { readonly steps: readonly Steps[]; readonly removals: readonly Change[] } {
  const found = matched(all, placed, {
    noun: 'connection',
    idOf: ({ integrationId }) => integrationId,
    nameOf: ({ name }) => name?.trim(),
    fits: [(connection, { name }) => connection.name === name?.trim()],
  });
  return {
    steps: placed.given.map((given, index) => {
      const connection = found[index];
      const entry = within(placed, given, index);
      return connection ? changeOf(connection, entry, known) : creationOf(entry);
    }),
    removals: all.filter((one) => !found.includes(one)).map(removalOf),
  };
}

function creationOf({ given: { id: _, ...given }, path, problems }: Placed<GivenIntegration>): Steps {
  const { name } = given;
  if (name === undefined) {
    problems.add(path, 'Give the connection an id or a name');
    return NOTHING;
  }
  return byHand({ kind: 'integration', name, fields: fieldChanges(differing(given, {})), todo: CREATE });
}

function changeOf(
  connection: Integration,
  { given: { id: _, ...given }, path, problems }: Placed<GivenIntegration>,
  { projectIds, ...policy }: { readonly projectIds: readonly string[] } & Pick<Services, 'privateReceivers'>,
): Steps {
  const current = integrationFields(connection);
  const subject = { kind: 'integration', name: connection.name, id: connection.integrationId } as const;
  const edits = differing(given, current);
  if (Object.keys(edits).length === 0) return NOTHING;
  if ('kind' in edits || 'apiUrl' in edits || 'account' in edits)
    return byHand({ ...subject, fields: fieldChanges(edits, current), todo: MOVE });
  const { name = connection.name, projects = connection.projectIds ?? 'all' } = given;
  if (name.length > ISSUE_LIMITS.nameCharacters)
    problems.add([...path, 'name'], `must have at most ${ISSUE_LIMITS.nameCharacters} characters`);
  if (projects !== 'all' && 'projects' in edits) {
    if (projects.length === 0) problems.add([...path, 'projects'], 'Name at least one project, or write all');
    for (const [index, projectId] of projects.entries())
      if (!projectIds.includes(projectId)) problems.add([...path, 'projects', index], 'No project has this id');
  }
  const { kind, apiUrl, account } = connection;
  const asked = {
    kind,
    apiUrl,
    account,
    name,
    token: undefined,
    projectIds: projects === 'all' ? undefined : projects,
  };
  const settings = problems.checked(path, () => checkedIntegration(asked, policy));
  const wanted = differing({ name: settings?.name, projects: projects === 'all' ? projects : [...projects] }, current);
  if (settings === undefined || Object.keys(wanted).length === 0) return NOTHING;
  return only({
    verb: 'change',
    ...subject,
    fields: fieldChanges(wanted, current),
    note: 'Rundown asks the tracker whether the stored token is still valid',
    run: async (services, { organizationId, actor }) => {
      const expects = unchanged(integrations, connection, ['updatedAt']);
      const { integrationId } = connection;
      await saveIntegration(await withTrackers(services), { organizationId, actor, expects, integrationId, settings });
    },
  });
}

const withTrackers = async (services: Tools) => ({ ...services, ...(await services.trackers()) });

const removalOf = (connection: Integration): Change => ({
  verb: 'remove',
  kind: 'integration',
  name: connection.name,
  id: connection.integrationId,
  fields: [],
  note: 'its stored token is deleted',
  run: async (services, { organizationId, actor }) => {
    const expects = unchanged(integrations, connection, ['updatedAt']);
    const request = { organizationId, actor, expects, integrationId: connection.integrationId };
    await removeIntegration(await withTrackers(services), request);
  },
});
