/** Links of files in the answers of tools. */
import { makeFilePageLink } from '#shared/results/instances/file-page.ts';
import type { Assets, ContextData, TestContext } from './context-wire.ts';

/**
 * Replaces the links of files by those of pages. Signed links are long, end within minutes, and most agents cannot open
 * them.
 */
export function replaceFileLinks(context: ContextData, origin: string, organizationId: string): ContextData {
  const toPageLink = (projectId: string) => (url: string) =>
    makeFilePageLink({ organizationId, projectId }, origin, url);
  if (context.level === 'test') return { ...context, ...replaceInTest(context, toPageLink(context.meta.projectId)) };
  const list = context.list.map((test) => ({ ...test, ...replaceInTest(test, toPageLink(test.meta.projectId)) }));
  return { ...context, list };
}

function replaceInTest(
  { errorContext, assets }: Pick<TestContext, 'errorContext' | 'assets'>,
  replace: (url: string) => string,
): Pick<TestContext, 'errorContext' | 'assets'> {
  return {
    errorContext: errorContext && { ...errorContext, url: replace(errorContext.url) },
    assets: assets && replaceInAssets(assets, replace),
  };
}

const replaceInAssets = (
  { traces, screenshots, videos, attachments, totals }: Assets,
  replace: (url: string) => string,
): Assets => {
  const replaceAll = <File extends { readonly url: string }>(files: readonly File[]) =>
    files.map((file) => ({ ...file, url: replace(file.url) }));
  return {
    traces: replaceAll(traces),
    screenshots: replaceAll(screenshots),
    videos: replaceAll(videos),
    attachments: replaceAll(attachments),
    totals,
  };
};
