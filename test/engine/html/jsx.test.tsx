import { describe, expect, test } from 'vitest';

const Greeting = ({ name }: { readonly name: string }) => <p class="greeting">Hello {name}</p>;

describe('JSX runtime:', () => {
  test('JSX escapes texts and attribute values', () => {
    const hostile = `<script>"'&`;
    expect(String(<p title={hostile}>{hostile}</p>)).toBe(
      '<p title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;</p>',
    );
  });

  test('JSX components can be nested, and their markup is not escaped twice', () => {
    expect(String(<div>{[<Greeting name="Ada" />, 2, false, undefined]}</div>)).toBe(
      '<div><p class="greeting">Hello Ada</p>2</div>',
    );
  });

  test('JSX omits attributes that are undefined or false, and writes only the name of attributes that are true', () => {
    expect(String(<input type="text" name="a" required value={undefined} disabled={false} />)).toBe(
      '<input type="text" name="a" required>',
    );
  });

  test('JSX replaces characters that are not allowed in HTML with the replacement character U+FFFD', () => {
    expect(String(<p>{'a\0b\ud800c'}</p>)).toBe('<p>a\ufffdb\ufffdc</p>');
  });

  test('JSX with unknown elements, event handlers, style attributes or images without alternative text does not compile', () => {
    // @ts-expect-error: HTML has no such element
    // biome-ignore lint/a11y/noDistractingElements: the test needs an unknown element
    expect(() => <blink />).not.toThrow();
    // @ts-expect-error: the Content Security Policy of the pages forbids inline event handlers
    expect(() => <button type="button" onclick="go()" />).not.toThrow();
    // @ts-expect-error: the Content Security Policy of the pages forbids style attributes
    expect(() => <p style="color: red" />).not.toThrow();
    // @ts-expect-error: an image needs an alternative text
    // biome-ignore lint/a11y/useAltText: the test needs an image without an alternative text
    expect(() => <img src="/a.png" />).not.toThrow();
  });
});
