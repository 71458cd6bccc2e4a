/** The error page: for refused requests and internal errors. */
import { ApiError } from '#shared/engine/errors.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { AnyVisit, Visit } from '#shared/sign-in/visit.ts';
import {
  linkToAccount,
  linkToHome,
  linkToOrganization,
  linkToOrganizationSettings,
  linkToRuns,
  linkToSignIn,
} from './hrefs.ts';
import type { View } from './view.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid address',
  403: 'Not allowed',
  404: 'Page not found',
  409: 'Not possible right now',
  413: 'Too large',
};

/** Does not reveal which ids exist: it is the same for unknown ids and for those of other organizations. */
const NOT_FOUND =
  'It may have been deleted or expired, or it belongs to an organization that your account is not a member of. Check the address and your account.';

export function makeProblemPage(error: unknown, requestId: string, visit: Visit | AnyVisit): View {
  const isRefusal = error instanceof ApiError;
  const title = isRefusal ? (TITLES[error.statusCode] ?? 'Something went wrong') : 'Internal error';
  return {
    title,
    body: (
      <section class="panel empty problem">
        <Icon name={title === TITLES[404] ? 'search' : 'triangle-alert'} />
        <h1>{title}</h1>
        {isRefusal ? (
          <p>{error.details.missing === undefined ? error.message : NOT_FOUND}</p>
        ) : (
          <>
            <p>Reload the page. If the error persists, give the operator of this service this request id:</p>
            <p>
              <code>{requestId}</code>
            </p>
          </>
        )}
        <div class="actions">
          <WaysOn visit={visit} isRefused={title === TITLES[403]} />
        </div>
      </section>
    ),
  };
}

interface WaysOnProps {
  readonly visit: Visit | AnyVisit;
  /** Whether somebody with another role could go on. */
  readonly isRefused: boolean;
}

const WaysOn = ({ visit, isRefused }: WaysOnProps): Html => {
  if ('organizationName' in visit)
    return (
      <>
        {'project' in visit && (
          <a class="button" href={linkToRuns(visit)}>
            Runs of {visit.project.name}
          </a>
        )}
        <a class={'project' in visit ? 'button quiet' : 'button'} href={linkToOrganization(visit)}>
          All projects of {visit.organizationName}
        </a>
        {isRefused && (
          <a class="button quiet" href={linkToOrganizationSettings(visit, 'members')}>
            Who is an Admin
          </a>
        )}
      </>
    );
  if ('account' in visit)
    return (
      <>
        <a class="button" href={linkToHome(visit)}>
          Your projects
        </a>
        <a class="button quiet" href={linkToAccount(visit)}>
          Your account
        </a>
      </>
    );
  return (
    <a class="button" href={linkToSignIn(visit)}>
      Sign in
    </a>
  );
};
