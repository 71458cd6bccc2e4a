/** A person's own account: theme, sessions, applications and organizations. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedGrant } from '#shared/model/organizations/oauth-grant.ts';
import type { Passkey } from '#shared/model/organizations/passkey.ts';
import type { Session } from '#shared/model/organizations/session.ts';
import type { OwnOrganization } from '#shared/organizations/own-organizations.ts';
import { DataTable } from '#shared/pages/design/data-table.tsx';
import { CheckField, SelectField } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime } from '#shared/pages/design/format.tsx';
import { OrganizationLinks } from '#shared/pages/home/home-page.tsx';
import { accountFormHref, signOutHref } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import { browserName } from '#shared/sign-in/browser-name.ts';
import { THEMES } from '#shared/sign-in/cookies.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { ConnectedApplications } from './connected-applications.tsx';
import { Passkeys } from './passkeys.tsx';

interface Props {
  readonly visit: AccountVisit;
  readonly sessions: readonly Session[];
  readonly passkeys: readonly Passkey[];
  readonly organizations: readonly OwnOrganization[];
  readonly grants: readonly ListedGrant[];
  readonly origin: string;
  readonly refused: RefusedForm | undefined;
  readonly now: number;
}

export const AccountPage = ({
  visit,
  sessions,
  passkeys,
  organizations,
  refused,
  now,
  ...applications
}: Props): Html => (
  <>
    <h1>{visit.account.name}</h1>
    <p class="soft">{visit.account.email}</p>
    <form method="post" action={signOutHref(visit)}>
      <button type="submit" class="quiet">
        Sign out
      </button>
    </form>
    <h2>Organizations</h2>
    {organizations.length === 0 && <p>You are not a member of any organization.</p>}
    <OrganizationLinks visit={visit} organizations={organizations} />
    <h2>Passkeys</h2>
    <RefusalMessage refused={refused} of="submitRemovePasskey" title="Not removed." />
    <Passkeys visit={visit} passkeys={passkeys} now={now} />
    <h2>Personal access tokens</h2>
    <p>
      <a href={accountFormHref(visit, 'tokens')}>Your tokens</a>
    </p>
    <h2 id="applications">Connected applications</h2>
    <RefusalMessage refused={refused} of="submitEndApplication" title="Not disconnected." />
    <Applications {...{ visit, organizations, now, ...applications }} />
    <h2>Appearance</h2>
    <form method="post" action={accountFormHref(visit, 'theme')} class="filters">
      <SelectField
        label="Theme"
        name="theme"
        value={visit.theme}
        options={THEMES.map((value) => ({ value, label: value === 'system' ? 'same as system' : value }))}
      />
      <button type="submit">Save</button>
    </form>
    <h2>Sessions</h2>
    <Sessions visit={visit} sessions={sessions} now={now} />
  </>
);

const Applications = ({
  visit,
  organizations,
  grants,
  origin,
  now,
}: Pick<Props, 'visit' | 'organizations' | 'grants' | 'origin' | 'now'>): Html => {
  if (grants.length === 0)
    return <p>No application is connected. To connect one, open “Connect an agent” in an organization.</p>;
  const names = new Map(organizations.map(({ organizationId, name }) => [organizationId, name]));
  return (
    <ConnectedApplications
      grants={grants}
      action={accountFormHref(visit, 'end-application')}
      organizationOf={({ organizationId }) => names.get(organizationId) ?? 'an organization that you left'}
      origin={origin}
      now={now}
    />
  );
};

const Sessions = ({ visit, sessions, now }: Pick<Props, 'visit' | 'sessions' | 'now'>): Html => (
  <>
    <DataTable
      label="Sessions"
      caption="Browsers where you are signed in"
      columns={['Browser', 'Signed in', 'Last active', 'Sign out']}
    >
      {sessions.map((session) => (
        <SessionRow visit={visit} session={session} now={now} />
      ))}
    </DataTable>
    <p class="soft">Sessions expire after twelve hours of inactivity, and seven days after the sign-in.</p>
    <div class="actions">
      {sessions.length > 1 && (
        <form method="post" action={accountFormHref(visit, 'end-other-sessions')}>
          <button type="submit" class="danger">
            Sign out all other sessions
          </button>
        </form>
      )}
    </div>
    <form method="post" action={accountFormHref(visit, 'sign-out-everywhere')}>
      <CheckField name="applications" value="end" label="Also disconnect all applications" />
      <div class="actions">
        <button type="submit" class="danger">
          Sign out everywhere
        </button>
      </div>
    </form>
  </>
);

const SessionRow = ({
  visit,
  session,
  now,
}: {
  readonly visit: AccountVisit;
  readonly session: Session;
  readonly now: number;
}): Html => (
  <tr>
    <th scope="row" title={session.browser}>
      {browserName(session.browser)}
    </th>
    <td>
      <FullTime at={session.createdAt} />
      <br />
      <small>by {session.method}</small>
    </td>
    <td>
      <Ago at={session.lastSeenAt} now={now} />
    </td>
    <td>
      {session.sessionId === visit.session.sessionId ? (
        'this browser'
      ) : (
        <form method="post" action={accountFormHref(visit, 'end-session')}>
          <input type="hidden" name="sessionId" value={session.sessionId} />
          <button type="submit" class="quiet" aria-label={`Sign out ${browserName(session.browser)}`}>
            Sign out
          </button>
        </form>
      )}
    </td>
  </tr>
);
