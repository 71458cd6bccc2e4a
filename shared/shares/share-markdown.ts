/** A link to a share as Markdown for a chat. The title may come from a test, so it is escaped. */
import { document, linked, paragraph } from '#shared/context/markdown/nodes.ts';
import { serialize } from '#shared/context/markdown/serialize.ts';

export const shareMarkdown = (label: string, url: string): string =>
  serialize(document(paragraph(linked(label, url)))).trimEnd();
