/** Reads the forms of pages, and submits them like a browser without scripts. */
import { parse } from 'parse5';
import { attribute, elementsIn, textOf } from '#test/harness/elements.ts';
import type { Shown, Visitor } from '#test/harness/visitor.ts';

/** Returns the values with which the page fills the fields of its forms. */
export function valuesOf({ html }: Pick<Shown, 'html'>): Record<string, string> {
  const fields = elementsIn(parse(html)).flatMap((element) => {
    const [name, value = ''] = [attribute(element, 'name'), attribute(element, 'value')];
    const isChoice = ['checkbox', 'radio'].includes(attribute(element, 'type') ?? '');
    const isSent = element.tagName === 'input' && (!isChoice || isChecked(element));
    return name !== undefined && isSent ? [[name, value] as const] : [];
  });
  return Object.fromEntries([...fields, ...chosenIn(html), ...areasIn(html)]);
}

const areasIn = (html: string): [string, string][] =>
  elementsIn(parse(html))
    .filter(({ tagName }) => tagName === 'textarea')
    .map((area) => [attribute(area, 'name') ?? '', textOf(area)]);

const isChecked = (element: Parameters<typeof attribute>[0]): boolean => attribute(element, 'checked') !== undefined;

/** Returns the name of each select element, with the value of its selected option or else of its first option. */
const chosenIn = (html: string): [string, string][] =>
  elementsIn(parse(html))
    .filter(({ tagName }) => tagName === 'select')
    .map((select) => {
      const options = elementsIn(select).filter(({ tagName }) => tagName === 'option');
      const chosen = options.find((option) => attribute(option, 'selected') !== undefined) ?? options[0];
      return [attribute(select, 'name') ?? '', (chosen && attribute(chosen, 'value')) ?? ''];
    });

/** Opens the page at `path`, and posts its form to `path`, with `values` in place of the values on the page. */
export async function fillIn(visitor: Visitor, path: string, values: Record<string, string>): Promise<Shown> {
  const shown = await visitor.get(path);
  return visitor.post(path, { ...valuesOf(shown), ...values });
}

/** Returns the names of the fields that the page marks as invalid and connects to an error text. */
export const refusedFields = ({ html }: Shown): string[] => {
  const elements = elementsIn(parse(html));
  const textWithId = (id: string) =>
    elements
      .filter((element) => attribute(element, 'id') === id)
      .map(textOf)
      .join('');
  const refused = elements
    .filter((element) => attribute(element, 'aria-invalid') === 'true')
    .filter((element) => textWithId(attribute(element, 'aria-describedby')?.split(' ').at(-1) ?? '').includes(' '))
    .map((element) => attribute(element, 'name') ?? '');
  return [...new Set(refused)];
};
