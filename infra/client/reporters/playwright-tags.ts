/** The tags of a Playwright test, such as `@slow`. Before version 1.42, Playwright had them only in titles. */
export const listPlaywrightTags = (
  { tags }: { readonly tags?: readonly string[] },
  title: readonly string[],
): readonly string[] => tags ?? title.join(' ').match(/@\S+/g) ?? [];
