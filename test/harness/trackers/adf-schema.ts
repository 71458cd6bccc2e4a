/** The structure of the Atlassian Document Format, as far as an issue without media and macros needs it. */
import * as z from 'zod';

const Code = z.strictObject({ type: z.literal('code') });
const Link = z.strictObject({
  type: z.literal('link'),
  attrs: z.strictObject({ href: z.url({ protocol: /^https?$/ }) }),
});
/** A text of an issue is plain, code or a link. */
const Text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  marks: z
    .array(z.union([Code, Link]))
    .length(1)
    .optional(),
});
const Paragraph = z.strictObject({ type: z.literal('paragraph'), content: z.array(Text) });
const CodeBlock = z.strictObject({
  type: z.literal('codeBlock'),
  content: z.array(z.strictObject({ type: z.literal('text'), text: z.string().min(1) })),
});
const Item = z.strictObject({ type: z.literal('listItem'), content: z.array(Paragraph).min(1) });
const List = z.strictObject({ type: z.literal('bulletList'), content: z.array(Item).min(1) });

export type AdfDocument = z.output<typeof AdfDocument>;
export const AdfDocument = z.strictObject({
  type: z.literal('doc'),
  version: z.literal(1),
  content: z.array(z.union([Paragraph, CodeBlock, List])),
});

/** The text of a document, with a line for each paragraph and each code block. */
export function textOfAdf({ content }: AdfDocument): string {
  const lines = content.flatMap((block) =>
    block.type === 'bulletList' ? block.content.flatMap((item) => item.content) : [block],
  );
  return lines.map((line) => line.content.map(({ text }) => text).join('')).join('\n');
}
