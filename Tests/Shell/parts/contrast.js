// The texts of a page whose contrast to what is behind them is below 4.5 (WCAG 2.2 §1.4.3), each with its contrast and its element.
(() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = rgba(getComputedStyle(each).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba('Canvas');
  };
  const isText = (element) => element.matches('input:not([type=hidden], [type=checkbox]), select, textarea')
    || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  return [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility() && isText(each)).flatMap((each) => {
    const ground = luminance(behind(each));
    return (each.placeholder ? [null, '::placeholder'] : [null]).map((part) => {
      const text = luminance(rgba(getComputedStyle(each, part).color));
      const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
      return [contrast, `${contrast.toFixed(2)}${part ?? ''} ${each.outerHTML.slice(0, 120)}`];
    });
  }).filter(([contrast]) => contrast < 4.5).map(([, text]) => text);
})()
