/** A person's own account: organizations, passkeys, tokens, applications, theme and sessions. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedGrant } from '#shared/model/oauth/oauth-grant.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import type { Passkey } from '#shared/model/sign-in/passkey.ts';
import type { ProviderIdentity } from '#shared/model/sign-in/provider-identity.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import type { ReachableOrganization } from '#shared/organizations/own-organizations.ts';
import { DataTable } from '#shared/pages/design/data-table.tsx';
import { CheckField, PostButton, SelectField } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { OrganizationLinks } from '#shared/pages/home/home-page.tsx';
import { linkToAccount, linkToAccountForm, linkToCompanySignIn, linkToSignOut } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import { deriveBrowserName } from '#shared/sign-in/browser-name.ts';
import { THEMES } from '#shared/sign-in/cookies.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { ConnectedApplications } from './connected-applications.tsx';
import { Passkeys } from './passkeys.tsx';
import { ProviderIdentities } from './provider-sign-in-page.tsx';

interface Props extends WithForms<AccountVisit> {
  readonly sessions: readonly Session[];
  readonly passkeys: readonly Passkey[];
  readonly organizations: readonly ReachableOrganization[];
  /** The ids of the organizations whose company sign-in is connected with this account. */
  readonly connected: ReadonlySet<string>;
  readonly providers: readonly DeploymentProvider[];
  readonly identities: readonly ProviderIdentity[];
  readonly grants: readonly ListedGrant[];
  readonly origin: string;
  readonly now: number;
}

export const AccountPage = ({
  visit,
  sessions,
  passkeys,
  organizations,
  connected,
  providers,
  identities,
  refused,
  now,
  ...applications
}: Props): Html => (
  <>
    <PageHead
      title={visit.account.name}
      meta={visit.account.email}
      actions={
        <PostButton action={linkToSignOut(visit)} class="quiet">
          <Icon name="log-out" />
          Sign out
        </PostButton>
      }
    />
    <div class="stack">
      <Panel title="Organizations" isFlush>
        {organizations.length === 0 && (
          <p class="pad">You are not a member of any organization. Ask an Admin for an invitation.</p>
        )}
        <OrganizationLinks visit={visit} organizations={organizations} />
      </Panel>
      {visit.session.company ? (
        <Panel title="Company sign-in" id="company-sign-in">
          <p>
            You are signed in with your company. This session opens your company's organization only, and cannot change
            how you sign in.
          </p>
        </Panel>
      ) : (
        <>
          <Panel
            title="Passkeys"
            isFlush
            actions={
              <a class="button quiet small" href={linkToAccountForm(visit, 'passkeys/new')}>
                <Icon name="plus" />
                Add a passkey
              </a>
            }
          >
            <RefusalMessage refused={refused} of="submitRemovePasskey" title="The passkey was not removed." />
            <Passkeys visit={visit} passkeys={passkeys} now={now} />
          </Panel>
          <ProviderIdentities {...{ visit, refused, providers, identities }} />
          <CompanySignIn {...{ visit, organizations, connected }} />
        </>
      )}
      <Panel title="Personal access tokens">
        <p>
          With a token, scripts and AI tools act as you in one organization. See{' '}
          <a href={linkToAccountForm(visit, 'tokens')}>your tokens</a>.
        </p>
      </Panel>
      <Panel title="Connected applications" id="applications" isFlush>
        <RefusalMessage refused={refused} of="submitEndApplication" title="The application was not disconnected." />
        <Applications {...{ visit, organizations, now, ...applications }} />
      </Panel>
      <Panel title="Appearance">
        <form method="post" action={linkToAccountForm(visit, 'theme')} class="filters">
          <SelectField
            label="Theme"
            name="theme"
            value={visit.theme}
            options={THEMES.map((value) => ({ value, label: value === 'system' ? 'same as system' : value }))}
          />
          <button type="submit" class="quiet">
            Save
          </button>
        </form>
        <div hidden>
          <CheckField
            name="shortcuts"
            value="on"
            label="Single-key shortcuts in this browser: / searches, n and p go to the next and previous failure, ? lists all shortcuts"
          />
        </div>
      </Panel>
      <Panel title="Sessions" note="the browsers in which you are signed in" isFlush>
        <Sessions visit={visit} sessions={sessions} now={now} />
      </Panel>
    </div>
  </>
);

/** People whose organization got company sign-in later connect their account themselves. */
const CompanySignIn = ({
  visit,
  organizations,
  connected,
}: Pick<Props, 'visit' | 'organizations' | 'connected'>): Html => {
  const companies = organizations.filter(({ hasCompanySignIn }) => hasCompanySignIn);
  if (companies.length === 0) return <></>;
  return (
    <Panel title="Company sign-in" id="company-sign-in" isFlush>
      <ul class="rows">
        {companies.map(({ organizationId, name }) => (
          <li>
            <Icon name="building" />
            <span class="grow">{name}</span>
            {connected.has(organizationId) ? (
              <span class="badge">connected</span>
            ) : (
              <a
                class="button quiet small"
                href={linkToCompanySignIn(visit, organizationId, { step: 'connect' })}
                aria-label={`Connect your account with the company sign-in of ${name}`}
              >
                Connect
              </a>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
};

const Applications = ({
  visit,
  organizations,
  ...applications
}: Pick<Props, 'visit' | 'organizations' | 'grants' | 'origin' | 'now'>): Html => {
  if (applications.grants.length === 0)
    return (
      <p class="pad soft">
        No application is connected. To connect one, choose <b>Connect an agent</b> next to an organization.
      </p>
    );
  const names = new Map(organizations.map(({ organizationId, name }) => [organizationId, name]));
  return (
    <ConnectedApplications
      {...applications}
      action={linkToAccountForm(visit, 'end-application')}
      organizationOf={({ organizationId }) => names.get(organizationId) ?? 'an organization that you left'}
    />
  );
};

const Sessions = ({ visit, sessions, now }: Pick<Props, 'visit' | 'sessions' | 'now'>): Html => (
  <>
    <DataTable label="Sessions" columns={['Browser', 'Signed in', 'Last active', 'Sign out']}>
      {sessions.map((session) => (
        <tr>
          <th scope="row" title={session.browser}>
            {deriveBrowserName(session.browser)}
          </th>
          <td>
            <FullTime at={session.createdAt} />
            <br />
            <small>by {session.provider?.name ?? session.method}</small>
          </td>
          <td>
            <Ago at={session.lastSeenAt} now={now} />
          </td>
          <td>
            {session.sessionId === visit.session.sessionId ? (
              'this browser'
            ) : (
              <PostButton
                action={linkToAccountForm(visit, 'end-session')}
                fields={{ sessionId: session.sessionId }}
                class="quiet small"
                label={`Sign out ${deriveBrowserName(session.browser)}`}
              >
                Sign out
              </PostButton>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
    <div class="pad">
      {!visit.session.company && (
        <>
          <p>
            Does another browser ask you to confirm who you are, and has no passkey? Create a code here and enter it
            there.
          </p>
          <PostButton action={linkToAccount(visit)} class="quiet">
            Create a confirmation code
          </PostButton>
        </>
      )}
      <p class="soft">
        Sessions expire after twelve hours of inactivity, and in any case seven days after you signed in.
      </p>
      {sessions.length > 1 && (
        <PostButton action={linkToAccountForm(visit, 'end-other-sessions')} class="quiet">
          Sign out all other sessions
        </PostButton>
      )}
      <form method="post" action={linkToAccountForm(visit, 'sign-out-everywhere')} class="actions">
        <button type="submit" class="danger">
          Sign out everywhere
        </button>
        <CheckField name="applications" value="end" label="Also disconnect all applications" />
      </form>
    </div>
  </>
);
