/** The home page, for visitors who are not signed in, and for people who belong to no organization or to several. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ReachableOrganization } from '#shared/organizations/own-organizations.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { linkToAccount, linkToConnectAgent, linkToOrganization, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

export const WelcomePage = ({ visit }: { readonly visit: Visit }): Html => (
  <EntryPage
    title="Rundown keeps your test results"
    lead="It records automated test runs and shows why tests fail. Your reporter sends the results, and your team reads them here."
  >
    <div class="actions">
      <a class="button" href={linkToSignIn(visit)}>
        Sign in
      </a>
    </div>
  </EntryPage>
);

interface ListProps {
  readonly visit: AccountVisit;
  readonly organizations: readonly ReachableOrganization[];
}

export const OrganizationList = ({ visit, organizations }: ListProps): Html => (
  <>
    <PageHead title="Your organizations" />
    {organizations.length === 0 ? (
      <EmptyState icon="users" title="You are not a member of any organization">
        <p>
          Ask an Admin for an invitation. Until then, you can only see <a href={linkToAccount(visit)}>your account</a>.
        </p>
      </EmptyState>
    ) : (
      <section class="panel">
        <OrganizationLinks visit={visit} organizations={organizations} />
      </section>
    )}
  </>
);

export const OrganizationLinks = ({ visit, organizations }: ListProps): Html => (
  <ul class="rows">
    {organizations.map((organization) => (
      <li>
        <Icon name="building" />
        <a class="grow" href={linkToOrganization({ ...visit, ...organization })}>
          <strong>{organization.name}</strong>
        </a>
        {organization.needsCompanySignIn && <span class="badge">needs company sign-in</span>}
        <span class="badge">{getRoleName(organization.role)}</span>
        <a
          class="button quiet small"
          href={linkToConnectAgent({ ...visit, ...organization })}
          aria-label={`Connect an agent to ${organization.name}`}
        >
          Connect an agent
        </a>
      </li>
    ))}
  </ul>
);
