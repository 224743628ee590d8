/** Wraps elements into an SVG. */
export const SVG = (inner = '', attributes = 'viewBox="0 0 120 40"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`

/** Elements of an SVG that run a script, which goes to the other site, or that load something from there. */
export function tricksWith(other: string): Readonly<Record<string, string>> {
  const go = `location.href='${other}/ran'`
  return {
    'a script': `<script>${go}</script>`,
    'a script of another file': `<script href="${other}/x.js"/>`,
    'a script in another name space': `<h:script xmlns:h="http://www.w3.org/1999/xhtml">${go}</h:script>`,
    'an event handler': `<path onload="${go}"/>`,
    'an event handler in capital letters': `<path ONLOAD="${go}"/>`,
    'an event handler of foreign content': `<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="x:" onerror="${go}"/></foreignObject>`,
    'a frame': `<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${other}/x"/></foreignObject>`,
    'a link': `<a href="${other}/x"><text>x</text></a>`,
    'a picture': `<image href="${other}/x.png"/>`,
    'an animation': `<a href="#"><animate attributeName="href" to="javascript:${go}" begin="0s"/></a><set attributeName="x" to="1" onbegin="${go}"/>`,
    'a foreign reference': `<use href="${other}/x.svg#a"/>`,
    'a foreign reference by xlink': `<use xlink:href="${other}/x.svg#a"/>`,
    'a reference hidden by a character number': `<rect fill="u&#114;l(${other}/x.svg#a)"/>`,
    'a foreign fill': `<rect fill="url(${other}/x.svg#a)"/>`,
    'a foreign picture in a style': `<rect style="mask:url( '${other}/x.svg#a')"/>`,
    'an escaped reference in a style': `<rect style="mask:u\\72l(${other}/x.svg#a)"/>`,
    'an imported style sheet': `<style>@import "${other}/x.css";</style>`,
    'a foreign font': `<style><![CDATA[@font-face{font-family:f;src:url(${other}/x)}text{font-family:f}]]></style><text>x</text>`,
    'a base': `<g xml:base="${other}/"><image href="x.png"/></g>`,
    'another default name space': `<link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="${other}/x.css"/>`,
  }
}

/** What stands before the root. */
export function prologWith(other: string): string {
  return `<?xml-stylesheet href="${other}/x.css"?><!DOCTYPE svg [<!ENTITY a SYSTEM "${other}/x.txt"><!ENTITY b "b">]>`
}
