// Puts the reader's own address and API key into the examples, and a button on each that copies it. The key stays in this page.

const example = { address: 'http://127.0.0.1:4680', key: 'ww_live_…' }
let key = example.key

const blocks = [...document.querySelectorAll('pre > code')].map((code) => ({ code, text: code.textContent }))

function fill() {
  for (const { code, text } of blocks)
    code.textContent = text.replaceAll(example.address, location.origin).replaceAll(example.key, key)
}

// A browser has no clipboard on a plain http address of another machine.
for (const { code } of navigator.clipboard ? blocks : []) {
  const copy = document.createElement('button')
  copy.type = 'button'
  copy.textContent = 'Copy'
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    copy.textContent = 'Copied'
  })
  code.parentElement.append(copy)
}

if (blocks.some(({ text }) => text.includes(example.key))) {
  const label = document.createElement('label')
  label.textContent = 'Your API key, for the examples of this page '
  const input = document.createElement('input')
  input.type = 'password'
  input.autocomplete = 'off'
  input.placeholder = example.key
  input.addEventListener('input', () => {
    key = input.value.trim() || example.key
    fill()
  })
  label.append(input)
  document.querySelector('main h1').after(label)
}
fill()
