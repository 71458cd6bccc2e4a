/** The connections of an organization to issue trackers, and whether they work. */
import type { Html } from '#shared/engine/html/html.ts';
import { hasCredential } from '#shared/model/credential.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import {
  CONNECTION_FORM_NAMES,
  CONNECTION_FORMS,
  getConnectionFormName,
  TRACKERS,
} from '#shared/model/issues/tracker-kind.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { EmptyState, Fact, GroupHead, Notice, PageHead } from '#shared/pages/design/parts.tsx';
import { linkToIntegrations } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { Breadcrumb, WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<OrganizationVisit> {
  readonly integrations: readonly Integration[];
  readonly projects: readonly ProjectRecord[];
  readonly now: number;
  /** The connection that was just tested successfully, and the name of the account that owns its credential. */
  readonly tested?: { readonly integrationId: string; readonly account: string };
}

export const makeIntegrationBreadcrumbs = (visit: OrganizationVisit, name: string): Breadcrumb[] => [
  { name: 'Issue trackers', href: linkToIntegrations(visit) },
  { name },
];

export const IntegrationsPage = (props: Props): Html => {
  const { visit, integrations } = props;
  return (
    <>
      <PageHead
        title="Issue trackers"
        meta="Where people create issues for failed tests. Stored tokens are never shown."
      />
      {integrations.length === 0 ? (
        <EmptyState icon="unplug" title="No issue tracker is connected">
          <p>Connect your team’s tracker. People can then turn a failed test into an issue with its error and links.</p>
        </EmptyState>
      ) : (
        <div class="stack reading">
          {integrations.map((integration) => (
            <Connection {...props} integration={integration} />
          ))}
        </div>
      )}
      <GroupHead title={integrations.length === 0 ? 'Connect a tracker' : 'Connect another tracker'} />
      <ul class="rows panel reading">
        {CONNECTION_FORM_NAMES.map((tracker) => (
          <li>
            <span class="grow">{CONNECTION_FORMS[tracker].name}</span>
            <a
              class="button quiet small"
              href={linkToIntegrations(visit, 'connect', tracker)}
              aria-label={`Connect ${CONNECTION_FORMS[tracker].name}`}
            >
              <Icon name="plus" size="small" />
              Connect
            </a>
          </li>
        ))}
      </ul>
    </>
  );
};

interface ConnectionProps extends Props {
  readonly integration: Integration;
}

const Connection = ({ visit, integration, projects, now, tested, refused }: ConnectionProps): Html => {
  const { integrationId, name, apiUrl, account } = integration;
  const isOwn = refused?.values['integrationId'] === integrationId;
  return (
    <section class="panel" id={integrationId}>
      <header>
        <Icon name="unplug" size="large" />
        <div class="grow">
          <h2>{name}</h2>
          <span class="soft">{CONNECTION_FORMS[getConnectionFormName(integration)].name}</span>
        </div>
        <State integration={integration} now={now} />
      </header>
      <div class="pad">
        {isOwn && <RefusalMessage refused={refused} of="submitIntegrationTest" title="The connection test failed." />}
        {tested?.integrationId === integrationId && (
          <Notice tone="passed" isAlert>
            The connection works. The token belongs to the {TRACKERS[integration.kind].name} account {tested.account}.
          </Notice>
        )}
        {!hasCredential(integration) && !isOwn && (
          <Notice tone="failed">
            The token is missing, because an imported archive contains none. Enter it again under <em>Change</em>.
          </Notice>
        )}
        {integration.refused && !isOwn && (
          <Notice tone="failed">
            {integration.refused.problem}. The tracker refused the connection on{' '}
            <FullTime at={integration.refused.at} />. Automatic work on issues stops until the connection is saved or
            tested successfully.
          </Notice>
        )}
        <dl class="facts">
          <Fact name="Address">
            <code>{apiUrl}</code>
          </Fact>
          {account !== undefined && <Fact name="Account">{account}</Fact>}
          <Fact name="Projects">{formatProjectNames(integration, projects)}</Fact>
        </dl>
        <div class="actions">
          <PostButton
            action={linkToIntegrations(visit, integrationId, 'test')}
            fields={{ integrationId }}
            class="quiet"
            label={`Test ${name}`}
          >
            Test
          </PostButton>
          <a class="button quiet" href={linkToIntegrations(visit, integrationId, 'edit')} aria-label={`Change ${name}`}>
            Change…
          </a>
          <a
            class="button quiet danger"
            href={linkToIntegrations(visit, integrationId, 'remove')}
            aria-label={`Remove ${name}`}
          >
            Remove…
          </a>
        </div>
      </div>
    </section>
  );
};

function State({ integration, now }: Pick<ConnectionProps, 'integration' | 'now'>): Html {
  const { refused, pausedUntil = 0 } = integration;
  if (!hasCredential(integration)) return <OutcomeBadge outcome="failed" label="token missing" />;
  if (refused) return <OutcomeBadge outcome="failed" label="refused" />;
  if (pausedUntil > now) return <OutcomeBadge outcome="flaky" label="paused" />;
  return <OutcomeBadge outcome="passed" label="works" />;
}

function formatProjectNames({ projectIds }: Integration, projects: readonly ProjectRecord[]): string {
  if (!projectIds) return 'all projects';
  const names = projects.filter(({ projectId }) => projectIds.includes(projectId)).map(({ name }) => name);
  return names.join(', ') || 'none';
}
