/**
 * The text of an issue or a comment, before it is written in the format of a tracker. Strangers may have written the
 * text in test reports, so each format must show `text` and `code` as they are, without mentions, links, formatting or
 * macros.
 */

export type TextSpan =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** `url` is an address of this service. */
  | { readonly kind: 'link'; readonly text: string; readonly url: string };

export type TextBlock =
  | { readonly kind: 'paragraph'; readonly spans: readonly TextSpan[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly TextSpan[])[] }
  | { readonly kind: 'code'; readonly text: string };
