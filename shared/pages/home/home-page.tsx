/** The home page: for visitors, and for people with no organization or several. */
import type { Html } from '#shared/engine/html/html.ts';
import type { OwnOrganization } from '#shared/organizations/own-organizations.ts';
import { accountHref, connectAgentHref, organizationHref, signInHref } from '#shared/pages/shell/hrefs.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

export const WelcomePage = ({ visit }: { readonly visit: Visit }): Html => (
  <>
    <h1>Rundown keeps your test results</h1>
    <p>
      Rundown records automated test runs and shows why tests fail. Your reporter sends the results, and your team reads
      them here.
    </p>
    <p>
      <a class="button" href={signInHref(visit)}>
        Sign in
      </a>
    </p>
  </>
);

interface ListProps {
  readonly visit: AccountVisit;
  readonly organizations: readonly OwnOrganization[];
}

export const OrganizationList = ({ visit, organizations }: ListProps): Html => (
  <>
    <h1>Your organizations</h1>
    {organizations.length === 0 ? (
      <p>
        You are not a member of any organization. Ask an Admin for an invitation. Until then you can only see{' '}
        <a href={accountHref(visit)}>your account</a>.
      </p>
    ) : (
      <OrganizationLinks visit={visit} organizations={organizations} />
    )}
  </>
);

export const OrganizationLinks = ({ visit, organizations }: ListProps): Html => (
  <ul>
    {organizations.map((organization) => (
      <li>
        <a href={organizationHref({ ...visit, ...organization })}>{organization.name}</a>{' '}
        <small>
          <a
            href={connectAgentHref({ ...visit, ...organization })}
            aria-label={`Connect an agent to ${organization.name}`}
          >
            Connect an agent
          </a>
        </small>
      </li>
    ))}
  </ul>
);
