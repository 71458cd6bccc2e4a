/** `RUNDOWN_DSN`: the address of the service, the API key and the project in one line. */
import { CommandFailure } from './failure.ts';

export interface Dsn {
  readonly url: string;
  readonly key: string;
  readonly project: string;
}

const FORM = 'Its form is https://<key>@<host>/<projectId>. The page of a new API key shows it';

/** Parses `https://<key>@<host>/<projectId>`. The error never contains the text, because the text contains the key. */
export function parseDsn(text: string): Dsn {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const project = url && decodeURIComponent(url.pathname.slice(1));
  if (!url || !/^https?:$/.test(url.protocol) || !url.username || !project || project.includes('/'))
    throw new CommandFailure('RUNDOWN_DSN is not valid', FORM);
  return { url: url.origin, key: decodeURIComponent(url.username), project };
}
