/** The connections to issue trackers in a settings file, without their tokens. */

import { checkIntegrationSettings } from '#shared/issues/integration-settings.ts';
import { removeIntegration, saveIntegration } from '#shared/issues/integrations.ts';
import { type Integration, integrations } from '#shared/model/issues/integration.ts';
import type { Services } from '#shared/services.ts';
import { enterSection, type FileSection, type GivenIntegration } from './document.ts';
import { expectUnchanged } from './expect-unchanged.ts';
import { type Fields, isEmpty, listFieldChanges, pickDifferences } from './fields.ts';
import { matchRows } from './match-rows.ts';
import type { Change, Step, Tools } from './plan.ts';

export const toIntegrationFields = ({ name, kind, apiUrl, account, projectIds }: Integration): Fields => ({
  name,
  kind,
  apiUrl,
  account: account ?? null,
  projects: projectIds ? [...projectIds] : 'all',
});

const CREATE = 'Connect it at "Issue trackers" of the organization: it needs a token';
const MOVE = 'Enter the new tracker or account together with its token at "Issue trackers" of the organization';

interface IntegrationSurroundings extends Pick<Services, 'privateReceivers'> {
  readonly projectIds: readonly string[];
}

export function planIntegrations(
  all: readonly Integration[],
  section: FileSection<readonly GivenIntegration[]>,
  surroundings: IntegrationSurroundings,
): { readonly steps: readonly Step[]; readonly removals: readonly Change[] } {
  const matches = matchRows(all, section, {
    kind: 'integration',
    idOf: ({ integrationId }) => integrationId,
    nameOf: ({ name }) => name?.trim(),
    fits: [(connection, { name }) => connection.name === name?.trim()],
  });
  return {
    steps: section.given.flatMap((givenIntegration, index) => {
      const connection = matches[index];
      const entry = enterSection(section, givenIntegration, index);
      return connection ? planIntegrationChange(connection, entry, surroundings) : planIntegrationCreation(entry);
    }),
    removals: all.filter((one) => !matches.includes(one)).map(planIntegrationRemoval),
  };
}

function planIntegrationCreation({
  given: { id: _, ...input },
  path,
  problems,
}: FileSection<GivenIntegration>): Step[] {
  const { name } = input;
  if (name !== undefined)
    return [{ kind: 'integration', name, fields: listFieldChanges(pickDifferences(input, {})), todo: CREATE }];
  problems.add(path, 'Give the connection an id or a name');
  return [];
}

function planIntegrationChange(
  connection: Integration,
  { given: { id: _, ...input }, path, problems }: FileSection<GivenIntegration>,
  { projectIds, ...policy }: IntegrationSurroundings,
): Step[] {
  const currentFields = toIntegrationFields(connection);
  const subject = { kind: 'integration', name: connection.name, id: connection.integrationId } as const;
  const edits = pickDifferences(input, currentFields);
  if (isEmpty(edits)) return [];
  if ('kind' in edits || 'apiUrl' in edits || 'account' in edits)
    return [{ ...subject, fields: listFieldChanges(edits, currentFields), todo: MOVE }];
  const { name = connection.name, projects = connection.projectIds ?? 'all' } = input;
  if (projects !== 'all' && 'projects' in edits) {
    if (projects.length === 0) problems.add([...path, 'projects'], 'Name at least one project, or write all');
    for (const [index, projectId] of projects.entries())
      if (!projectIds.includes(projectId)) problems.add([...path, 'projects', index], 'No project has this id');
  }
  const { kind, apiUrl, account } = connection;
  const requestedSettings = {
    kind,
    apiUrl,
    account,
    name,
    token: undefined,
    projectIds: projects === 'all' ? undefined : projects,
  };
  const settings = problems.check(path, () => checkIntegrationSettings(requestedSettings, policy));
  const changedFields = pickDifferences(
    { name: settings?.name, projects: projects === 'all' ? projects : [...projects] },
    currentFields,
  );
  if (settings === undefined || isEmpty(changedFields)) return [];
  return [
    {
      verb: 'change',
      ...subject,
      fields: listFieldChanges(changedFields, currentFields),
      note: 'Rundown asks the tracker whether the stored token is still valid',
      run: async (services, { organizationId, actor }) => {
        const request = { organizationId, actor, ...makeConnectionReference(connection), settings };
        await saveIntegration(await addTrackers(services), request);
      },
    },
  ];
}

/** `expects` refuses the change if somebody has changed the connection since it was read. */
const makeConnectionReference = (connection: Integration) => ({
  integrationId: connection.integrationId,
  expects: expectUnchanged(integrations, connection, ['updatedAt']),
});

const addTrackers = async (services: Tools) => ({ ...services, ...(await services.trackers()) });

const planIntegrationRemoval = (connection: Integration): Change => ({
  verb: 'remove',
  kind: 'integration',
  name: connection.name,
  id: connection.integrationId,
  fields: [],
  note: 'its stored token is deleted',
  run: async (services, { organizationId, actor }) => {
    await removeIntegration(await addTrackers(services), {
      organizationId,
      actor,
      ...makeConnectionReference(connection),
    });
  },
});
