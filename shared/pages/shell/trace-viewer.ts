/** Playwright's trace viewer, served from this origin: its content security policy and the links to it. */
import type { ProjectVisit, Visit } from '#shared/sign-in/visit.ts';
import { getAssetPath } from './asset-paths.ts';
import { addQuery, linkToInstanceFile } from './hrefs.ts';

/**
 * The headers of all files of the viewer. In the service worker of the viewer, the Content-Security-Policy allows traces
 * only from this origin and the bucket, so that a link cannot make the viewer show an attacker's trace under this
 * origin.
 */
export const makeTraceViewerHeaders = (artifacts: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
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
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
});

/** It works as long as the file exists, because the URL of the file redirects to a fresh presigned URL. */
export const linkToTrace = (visit: ProjectVisit, instanceId: string, fileId: string): string =>
  linkToTraceViewer(visit, linkToInstanceFile(visit, instanceId, fileId));

/** `trace` is the path of the trace at this service. */
export const linkToTraceViewer = ({ base }: Pick<Visit, 'base'>, trace: string): string =>
  addQuery(base + getAssetPath('trace-viewer'), { trace });
