/** The connections to issue trackers in a settings file, without their tokens. */
import { checkIntegrationSettings, removeIntegration, saveIntegration } from '#shared/issues/integrations.ts';
import { type Integration, integrations } from '#shared/model/organizations/integration.ts';
import type { Services } from '#shared/services.ts';
import { type GivenIntegration, type Placed, within } from './document.ts';
import {
  type Change,
  differing,
  type Fields,
  fieldChanges,
  isEmpty,
  matched,
  type Step,
  type Tools,
  unchanged,
} from './plan.ts';

export const integrationFields = ({ name, kind, apiUrl, account, projectIds }: Integration): Fields => ({
  name,
  kind,
  apiUrl,
  account: account ?? null,
  projects: projectIds ? [...projectIds] : 'all',
});

const CREATE = 'Connect it at "Settings, Integrations" of the organization: it needs a token';
const MOVE = 'Enter the new tracker or account together with its token at "Settings, Integrations" of the organization';

interface Known extends Pick<Services, 'privateReceivers'> {
  readonly projectIds: readonly string[];
}

export function planIntegrations(
  all: readonly Integration[],
  placed: Placed<readonly GivenIntegration[]>,
  known: Known,
): { readonly steps: readonly Step[]; readonly removals: readonly Change[] } {
  const found = matched(all, placed, {
    kind: 'integration',
    idOf: ({ integrationId }) => integrationId,
    nameOf: ({ name }) => name?.trim(),
    fits: [(connection, { name }) => connection.name === name?.trim()],
  });
  return {
    steps: placed.given.flatMap((given, index) => {
      const connection = found[index];
      const entry = within(placed, given, index);
      return connection ? changeOf(connection, entry, known) : creationOf(entry);
    }),
    removals: all.filter((one) => !found.includes(one)).map(removalOf),
  };
}

function creationOf({ given: { id: _, ...given }, path, problems }: Placed<GivenIntegration>): Step[] {
  const { name } = given;
  if (name !== undefined)
    return [{ kind: 'integration', name, fields: fieldChanges(differing(given, {})), todo: CREATE }];
  problems.add(path, 'Give the connection an id or a name');
  return [];
}

function changeOf(
  connection: Integration,
  { given: { id: _, ...given }, path, problems }: Placed<GivenIntegration>,
  { projectIds, ...policy }: Known,
): Step[] {
  const current = integrationFields(connection);
  const subject = { kind: 'integration', name: connection.name, id: connection.integrationId } as const;
  const edits = differing(given, current);
  if (isEmpty(edits)) return [];
  if ('kind' in edits || 'apiUrl' in edits || 'account' in edits)
    return [{ ...subject, fields: fieldChanges(edits, current), todo: MOVE }];
  const { name = connection.name, projects = connection.projectIds ?? 'all' } = given;
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
  const settings = problems.checked(path, () => checkIntegrationSettings(asked, policy));
  const wanted = differing({ name: settings?.name, projects: projects === 'all' ? projects : [...projects] }, current);
  if (settings === undefined || isEmpty(wanted)) return [];
  return [
    {
      verb: 'change',
      ...subject,
      fields: fieldChanges(wanted, current),
      note: 'Rundown asks the tracker whether the stored token is still valid',
      run: async (services, { organizationId, actor }) => {
        const request = { organizationId, actor, ...asSeen(connection), settings };
        await saveIntegration(await withTrackers(services), request);
      },
    },
  ];
}

/** Names the connection. `expects` refuses the change if somebody has changed the connection since it was read. */
const asSeen = (connection: Integration) => ({
  integrationId: connection.integrationId,
  expects: unchanged(integrations, connection, ['updatedAt']),
});

const withTrackers = async (services: Tools) => ({ ...services, ...(await services.trackers()) });

const removalOf = (connection: Integration): Change => ({
  verb: 'remove',
  kind: 'integration',
  name: connection.name,
  id: connection.integrationId,
  fields: [],
  note: 'its stored token is deleted',
  run: async (services, { organizationId, actor }) => {
    await removeIntegration(await withTrackers(services), { organizationId, actor, ...asSeen(connection) });
  },
});
