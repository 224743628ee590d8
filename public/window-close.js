// The viewer goes on in the player.
window.close()
