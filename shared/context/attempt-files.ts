/** Links to the files of one attempt, by category. */
import type { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { toReadLink } from '#shared/results/instances/instance-files.ts';
import type { Assets, TestContext } from './context-wire.ts';

/** The name of a Playwright attachment that describes the web page at the time of the error, as Markdown. */
const ERROR_CONTEXT = 'error-context';

export async function linkAttempt(
  store: Artifacts,
  files: readonly Artifact[],
  attempt: number,
): Promise<Pick<TestContext, 'errorContext'> & { readonly assets: Assets }> {
  const attemptFiles = files.filter((file) => (file.attempt ?? 0) === attempt);
  const fileLinks = await mapConcurrently(attemptFiles, async (file) => ({
    file,
    url: await store.readUrl(toReadLink(file)),
  }));
  const isErrorContext = ({ file }: (typeof fileLinks)[number]) =>
    file.type === 'attachment' && file.name === ERROR_CONTEXT;
  const pickLinks = (type: Artifact['type']) =>
    fileLinks.filter((fileLink) => fileLink.file.type === type && !isErrorContext(fileLink));
  const pickNamedLinks = (type: Artifact['type']) => pickLinks(type).map(({ file, url }) => ({ name: file.name, url }));
  const lists = {
    traces: pickNamedLinks('trace'),
    screenshots: pickNamedLinks('screenshot'),
    videos: pickNamedLinks('video'),
    attachments: pickLinks('attachment').map(({ file, url }) => ({
      name: file.name,
      filename: file.fileName,
      contentType: file.contentType,
      url,
    })),
  };
  const errorContext = fileLinks.find(isErrorContext);
  return {
    assets: {
      ...lists,
      totals: {
        traces: lists.traces.length,
        screenshots: lists.screenshots.length,
        videos: lists.videos.length,
        attachments: lists.attachments.length,
      },
    },
    errorContext: errorContext ? { name: errorContext.file.name, url: errorContext.url } : null,
  };
}
