/** The error page: for refused requests and internal errors. */
import { ApiError } from '#shared/engine/errors.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { View } from './view.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid address',
  403: 'Not allowed',
  404: 'Page not found',
  409: 'Not possible right now',
  413: 'Too large',
};

/** The text is the same for unknown ids and for those of other organizations. */
const NOT_FOUND =
  'It may have been deleted or expired, or it belongs to an organization that your account is not a member of. Check the address and your account.';

export function problemPage(error: unknown, requestId: string): View {
  if (!(error instanceof ApiError)) return faultPage(requestId);
  const { statusCode, message } = error;
  const title = TITLES[statusCode] ?? 'Something went wrong';
  return {
    title,
    body: (
      <section class="panel empty problem">
        <Icon name={statusCode === 404 ? 'search' : 'triangle-alert'} />
        <h1>{title}</h1>
        <p>{statusCode === 404 && message.endsWith(' not found') ? NOT_FOUND : message}</p>
      </section>
    ),
  };
}

const faultPage = (requestId: string): View => ({
  title: 'Internal error',
  body: (
    <section class="panel empty problem">
      <Icon name="triangle-alert" />
      <h1>Internal error</h1>
      <p>Reload the page. If the error persists, give your operator this request id:</p>
      <p>
        <code>{requestId}</code>
      </p>
    </section>
  ),
});
