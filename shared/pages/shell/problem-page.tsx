/** The error page: for refused requests and internal errors. */
import { ApiError } from '#shared/engine/errors.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { AnyVisit, Visit } from '#shared/sign-in/visit.ts';
import { accountHref, homeHref, organizationHref, signInHref } from './hrefs.ts';
import type { View } from './view.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid address',
  403: 'Not allowed',
  404: 'Page not found',
  409: 'Not possible right now',
  413: 'Too large',
};

/**
 * The message is the same for ids that do not exist and for ids of other organizations, so that it does not reveal
 * which ids exist.
 */
const NOT_FOUND =
  'It may have been deleted or expired, or it belongs to an organization that your account is not a member of. Check the address and your account.';

export function problemPage(error: unknown, requestId: string, visit: Visit | AnyVisit): View {
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
          <WaysOn visit={visit} />
        </div>
      </section>
    ),
  };
}

/** Links to continue with, depending on whether the person is signed in and in which organization they are. */
const WaysOn = ({ visit }: { readonly visit: Visit | AnyVisit }): Html => {
  if ('organizationName' in visit)
    return (
      <a class="button" href={organizationHref(visit)}>
        All projects of {visit.organizationName}
      </a>
    );
  if ('account' in visit)
    return (
      <>
        <a class="button" href={homeHref(visit)}>
          Your projects
        </a>
        <a class="button quiet" href={accountHref(visit)}>
          Your account
        </a>
      </>
    );
  return (
    <a class="button" href={signInHref(visit)}>
      Sign in
    </a>
  );
};
