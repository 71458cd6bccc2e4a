/** Playwright's trace viewer, served from this origin: its content security policy and the links to it. */
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { assetPath } from './asset-paths.ts';
import { fileHref, withQuery } from './hrefs.ts';

/**
 * All files of the viewer carry this policy. That of its service worker decides from where it may load a trace: from
 * this origin and the bucket. So nobody can show a stranger's trace under this origin.
 */
const policy = (artifacts: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `connect-src 'self' ${artifacts}`,
    "worker-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export const traceViewerHeaders = (artifacts: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': policy(artifacts),
  'Referrer-Policy': 'no-referrer',
});

/** Shows a trace. The link to the file never expires, because it leads to a fresh signature. */
export const traceHref = (visit: ProjectVisit, instanceId: string, fileId: string): string =>
  withQuery(visit.base + assetPath('trace-viewer'), { trace: fileHref(visit, instanceId, fileId) });
