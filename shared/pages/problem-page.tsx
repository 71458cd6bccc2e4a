/** The page of a refusal or of an internal error. */
import { ApiError } from '#shared/engine/errors.ts';
import type { View } from './view.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This address is not valid',
  403: 'Not allowed',
  404: 'Page not found',
  409: 'Not possible now',
  413: 'Too large',
};

/** Foreign and unknown ids get the same text. */
const NOT_FOUND =
  'It may have been deleted, it may have expired, or it belongs to an organization of another account. Check the address and your account.';

export function problemPage(error: unknown, requestId: string): View {
  if (!(error instanceof ApiError)) return faultPage(requestId);
  const { statusCode, message } = error;
  const title = TITLES[statusCode] ?? 'This did not work';
  return {
    title,
    body: (
      <section class="problem">
        <h1>{title}</h1>
        <p>{statusCode === 404 && message.endsWith(' not found') ? NOT_FOUND : message}</p>
      </section>
    ),
  };
}

const faultPage = (requestId: string): View => ({
  title: 'Internal error',
  body: (
    <section class="problem">
      <h1>Internal error</h1>
      <p>Reload the page. If the error persists, give your operator this request id:</p>
      <p>
        <code>{requestId}</code>
      </p>
    </section>
  ),
});
