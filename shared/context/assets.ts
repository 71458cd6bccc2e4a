/** §2.4 `assets` and `errorContext` of one attempt: links to its files. */
import type * as z from 'zod';
import type { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Artifact } from '#shared/model/tests/artifact.ts';
import { linkTo } from '#shared/results/instance-files.ts';
import type { Assets, TestContext } from './context-wire.ts';

/** A Playwright attachment: the page at the time of the error, as Markdown. */
const ERROR_CONTEXT = 'error-context';

interface Linked {
  readonly assets: z.infer<typeof Assets>;
  readonly errorContext: TestContext['errorContext'];
}

export async function linkAttempt(store: Artifacts, files: readonly Artifact[], attempt: number): Promise<Linked> {
  const own = files.filter((file) => (file.attempt ?? 0) === attempt);
  const linked = await mapConcurrently(own, async (file) => ({ file, url: await store.readUrl(linkTo(file)) }));
  const isErrorContext = ({ file }: (typeof linked)[number]) =>
    file.type === 'attachment' && file.name === ERROR_CONTEXT;
  const of = (type: Artifact['type']) => linked.filter((one) => one.file.type === type && !isErrorContext(one));
  const named = (type: Artifact['type']) => of(type).map(({ file, url }) => ({ name: file.name, url }));
  const lists = {
    traces: named('trace'),
    screenshots: named('screenshot'),
    videos: named('video'),
    attachments: of('attachment').map(({ file, url }) => ({
      name: file.name,
      filename: file.fileName,
      contentType: file.contentType,
      url,
    })),
  };
  const errorContext = linked.find(isErrorContext);
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
